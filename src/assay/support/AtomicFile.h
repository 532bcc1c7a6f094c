/// A file that appears under its name only when it is complete.
#pragma once

#include "assay/support/Error.h"

#include <memory>

namespace assay {

/// Which writers may use a path at the same time.
enum class Writers {
  One, ///< the partial file is PATH.partial
  Many ///< each writer has its own partial file; the last commit() wins
};

/// Writes to PATH.partial and renames it to PATH at commit(); without a commit
/// the partial file is removed. Missing folders are made. A target that exists
/// and is not a regular file (a pipe, /dev/stdout) is written directly.
class AtomicFile {
public:
  /// Errors: InvalidArgument with the path and the reason (permission
  /// denied, no folder can be made there, ...).
  static llvm::Expected<std::unique_ptr<AtomicFile>>
  create(llvm::StringRef path, Writers writers = Writers::One);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;

  /// Appends bytes. Errors: ResourceLimit when the disk is full, else
  /// InvalidArgument; both name path and reason.
  llvm::Error write(const void *data, size_t size);
  int64_t position() const { return position_; }
  /// Waits until the written bytes are on the disk. Call it before commit()
  /// where losing the old content in a power cut would matter.
  llvm::Error sync();
  llvm::Error commit();

private:
  AtomicFile() = default;
  llvm::Error failure(int error) const;
  std::string path_, partial_; // partial_ is empty for a direct target
  int file_ = -1;
  int64_t position_ = 0;
};

/// Writes `text` as a whole file. Errors: those of AtomicFile.
llvm::Error writeAtomically(llvm::StringRef path, llvm::StringRef text);

} // namespace assay
