/// Memory that several processes map: one anonymous file (memfd) that grows.
/// Regions are whole pages, so that a worker can map each of them alone between
/// guard pages.
#pragma once

#include "assay/engine/Protocol.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::engine {

inline constexpr int64_t kPageBytes = 4096;
inline int64_t roundToPages(int64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

class Arena {
public:
  /// An arena of one page (the crash note's) with `reserveBytes` of address
  /// space. Errors: ResourceLimit.
  static llvm::Expected<Arena> create(int64_t reserveBytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  /// Makes the file at least this large; what was there stays where it is.
  llvm::Error grow(int64_t bytes);
  /// Gives the memory after `bytes` back to the system.
  void shrink(int64_t bytes);
  std::byte *data() const { return base_; }
  int64_t sizeBytes() const { return size_; }
  int fd() const { return fd_; }

private:
  Arena() = default;
  int fd_ = -1;
  std::byte *base_ = nullptr;
  int64_t reserved_ = 0, size_ = 0;
};

/// What a tensor takes in an arena: its bytes, and the multiple of bytes that
/// the address of its first element.
struct Extent {
  int64_t bytes, alignment;
};

/// Consecutive tensors in an arena, each in pages of its own (one at
/// least) that it touches the end or the start of; the first page is left to
/// the crash note. `alignment` is what the engine asks for beside each
/// tensor's own.
std::vector<Placement> placeTensors(llvm::ArrayRef<Extent> tensors, Guard guard,
                                    int alignment);
/// The arena's size after the last of these.
int64_t endOf(llvm::ArrayRef<Placement> placements);

} // namespace assay::engine
