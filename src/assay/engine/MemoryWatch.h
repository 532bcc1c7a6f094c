/// Whether a kernel keeps more memory with each call. Caches warm up in the
/// first calls and hold their size; a leak continues. Private memory of the
/// process and what its heap has allocated are counted after each of some calls
/// on the same data.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace assay::engine {

/// Private writable memory of a process (its number, or "self") in bytes; 0
/// where there is none of that number. Reserved address space does not count.
int64_t privateBytesOf(llvm::StringRef process);

struct MemoryUse {
  int64_t heapBytes = 0;   ///< allocated by malloc
  int64_t mappedBytes = 0; ///< private writable memory of the process
  int64_t threads = 0;     ///< of the process
  static MemoryUse now();
};

/// Bytes per call by which the later half of these counts grows, where each
/// call of that half adds at least `least` bytes; 0 where one does not.
int64_t steadyGrowth(llvm::ArrayRef<int64_t> counts, int64_t least);

class MemoryWatch {
public:
  /// `leastHeapBytes`: growth of the heap in a call that counts.
  explicit MemoryWatch(int64_t leastHeapBytes)
      : leastHeapBytes_(leastHeapBytes) {}
  void add(const MemoryUse &use);
  /// Bytes per call in the counts so far; 0 where memory does not grow
  /// steadily, or the growth is the stacks of threads that still run.
  int64_t bytesPerCall() const;
  /// Forgets what was added.
  void restart();
  size_t calls() const { return heap_.size(); }

private:
  int64_t leastHeapBytes_;
  std::vector<int64_t> heap_, mapped_, threads_;
};

} // namespace assay::engine
