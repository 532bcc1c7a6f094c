/// Compiled micro-kernels on disk: one small file each, named by a hash of
/// everything that its code depends on.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace assay::kernels {

class ObjectCache {
public:
  /// An empty directory: ASSAY_CACHE_DIR, else XDG_CACHE_HOME/assay, else
  /// HOME/.cache/assay; disabled when none is set.
  ObjectCache(std::string directory, bool enabled);

  /// The object stored for `key`, or null: missing, damaged (a note says so),
  /// or made for another key. `checked`: whether the kernel had passed its
  /// check when it was stored.
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef key, bool &checked);
  /// Writes atomically (temporary file, then rename). If the folder cannot be
  /// written, it only adds a note, once.
  void store(llvm::StringRef key, llvm::StringRef object, bool checked);

  const std::string &directory() const { return directory_; }
  std::string pathFor(llvm::StringRef key) const;
  std::vector<std::string> takeNotes();

private:
  void note(std::string text);

  std::string directory_;
  bool enabled_;
  std::mutex mutex_;
  bool complained_ = false;
  std::vector<std::string> notes_;
};

} // namespace assay::kernels
