/// Memory for the copies that a recorder makes: its blocks are reused, because
/// fresh pages cost more than the copy itself.
#pragma once

#include "assay/tensor/Tensor.h"

#include <map>
#include <mutex>

namespace assay::trace {

/// Bytes and their hash.
struct Copied {
  tensor::Tensor tensor; ///< invalid when the file already has the content
  std::string hash;      ///< XXH3-128
};

/// Regions of 32 MiB and more, in huge pages where the system has them, cut
/// into blocks by first fit. A region that is entirely free is returned to the
/// system when more than `keepBytes` would stay idle. Threads: any.
class CopyArena : public std::enable_shared_from_this<CopyArena> {
public:
  static std::shared_ptr<CopyArena> create(int64_t keepBytes = 256 << 20);
  ~CopyArena();
  CopyArena(const CopyArena &) = delete;

  /// A tensor of the type whose buffer is a block of the arena, filled from
  /// `bytes`, and the hash of its contents. The block returns to the arena when
  /// the last holder releases the buffer. Errors:  ResourceLimit
  llvm::Expected<Copied> copy(const tensor::TensorType &type,
                              const void *bytes);
  /// Makes sure that at least this many bytes are idle, with their pages present.
  void reserve(int64_t bytes);

  int64_t idleBytes() const;

private:
  explicit CopyArena(int64_t keepBytes) : keepBytes_(keepBytes) {}
  bool grow(int64_t sizeBytes, bool present);
  std::byte *take(int64_t sizeBytes);
  void giveBack(std::byte *block, int64_t sizeBytes);
  void trim(std::map<std::byte *, int64_t>::iterator block);

  const int64_t keepBytes_;
  mutable std::mutex lock_;                       // guards everything below
  std::map<std::byte *, int64_t> regions_, free_; // start -> bytes
  int64_t idleBytes_ = 0;
};

} // namespace assay::trace
