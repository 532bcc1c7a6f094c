/// Memory that several processes map: one anonymous file (memfd) that grows.
/// Regions are whole pages, so that a worker can map each of them alone between
/// guard pages.
#pragma once

#include "assay/support/Error.h"

#include <cstddef>
#include <cstdint>

namespace assay::engine {

inline constexpr int64_t kPageBytes = 4096;
inline int64_t roundToPages(int64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

class Arena {
public:
  /// An empty arena with `reserveBytes` of address space. Errors:
  /// ResourceLimit.
  static llvm::Expected<Arena> create(int64_t reserveBytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  /// Makes the file at least this large; what was there stays where it is.
  llvm::Error grow(int64_t bytes);
  /// Gives the memory behind `bytes` back to the system.
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

} // namespace assay::engine
