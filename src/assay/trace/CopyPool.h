/// The contents that a recorder has copied, prepared and stored, so that bytes
/// that are already queued for the file are not copied again.
#pragma once

#include "assay/trace/CopyArena.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace assay::trace {

/// One for each file. Contents are distinguished by the XXH3-128 of the bytes
/// and the type, which DumpWriter computes at the moment of the call; nothing
/// depends on addresses or on a framework's version counters, which writes that
/// bypass the framework leave unchanged. Threads: any.
class CopyPool {
public:
  /// At most `preparedBytes` are held for prepare().
  explicit CopyPool(int64_t preparedBytes = int64_t{1} << 29)
      : limit_(preparedBytes) {}

  /// The name of a content: hash and type.
  static std::string key(llvm::StringRef hash, const tensor::TensorType &type);

  /// Copies a tensor ahead of the call that may record it, for example a
  /// parameter before the step. Does nothing for contents that are stored or
  /// prepared, or beyond the limit. Errors: ResourceLimit
  llvm::Error prepare(const tensor::TensorType &type, const void *bytes);
  /// Makes memory ready for copies of this many bytes.
  void reserve(int64_t bytes) { arena_->reserve(bytes); }
  /// Frees prepared copies that were not requested.
  void dropPrepared();

  /// The queue's entry for `size` bytes that are recorded now: their hash, and
  /// a copy (the prepared one, else a new one) unless the content is known. The
  /// hash is that of the copy, whatever another thread writes meanwhile.
  /// `likelyNew` only saves time: it is then copied before it is looked up.
  llvm::Expected<Copied> take(const tensor::TensorType &type, const void *bytes,
                              int64_t size, bool likelyNew);

  /// The same without a copy: the caller keeps the bytes unchanged.
  llvm::Expected<Copied> lend(const tensor::TensorType &type, const void *bytes,
                              int64_t size) const;

  /// Notes that the content is in the file, or queued before everything that is
  /// queued later. Returns false when it was known.
  bool setKnown(llvm::StringRef key);

private:
  std::optional<Copied> held(const std::string &hash,
                             const tensor::TensorType &type);

  const int64_t limit_;
  std::shared_ptr<CopyArena> arena_ = CopyArena::create();
  mutable std::mutex lock_; // guards everything below
  llvm::StringMap<tensor::Tensor> prepared_;
  llvm::StringSet<> known_;
  int64_t preparedBytes_ = 0;
};

} // namespace assay::trace
