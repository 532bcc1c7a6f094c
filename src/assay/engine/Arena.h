/// Memory that several processes map: one anonymous file (memfd) that grows.
/// Regions are whole pages, so that a worker can map each of them separately,
/// between guard pages.
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
  /// An arena of one page (for the crash note) with `reserveBytes` of address
  /// space. Errors: ResourceLimit.
  static llvm::Expected<Arena> create(int64_t reserveBytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  /// Makes the file at least this large; its content does not move.
  llvm::Error grow(int64_t bytes);
  /// Returns the memory after `bytes` to the system.
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

/// The space that a tensor needs in an arena: its bytes, and the alignment of
/// the address of its first element.
struct Extent {
  int64_t bytes, alignment;
};

/// Places tensors one after the other in an arena. Each has its own pages (at
/// least one) and touches the end or the start of them; the first page is left
/// to the crash note. `alignment` is the engine's request, beside each tensor's
/// own alignment.
std::vector<Placement> placeTensors(llvm::ArrayRef<Extent> tensors, Guard guard,
                                    int alignment);
/// The size of the arena that ends after the last placement.
int64_t endOf(llvm::ArrayRef<Placement> placements);

} // namespace assay::engine
