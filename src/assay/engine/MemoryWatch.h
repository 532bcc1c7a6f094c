/// Whether a kernel keeps more memory with each call. Caches grow in the first
/// calls and then keep their size; a leak continues. The process's private
/// memory and the allocations of its heap are counted after each of several
/// calls on the same data.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace assay::engine {

/// Private writable memory of a process (its number, or "self") in bytes; 0 if
/// there is no such process. Reserved address space does not count.
int64_t privateBytesOf(llvm::StringRef process);

struct MemoryUse {
  int64_t heapBytes = 0;   ///< allocated by malloc
  int64_t mappedBytes = 0; ///< private writable memory of the process
  int64_t threads = 0;     ///< of the process
  static MemoryUse now();
};

/// The bytes per call by which the later half of these counts grows. 0 unless
/// each call of that half adds at least `least` bytes.
int64_t steadyGrowth(llvm::ArrayRef<int64_t> counts, int64_t least);

class MemoryWatch {
public:
  /// `leastHeapBytes`: the least growth of the heap per call that counts.
  explicit MemoryWatch(int64_t leastHeapBytes)
      : leastHeapBytes_(leastHeapBytes) {}
  void add(const MemoryUse &use);
  /// Bytes per call in the counts so far; 0 if memory does not grow steadily,
  /// or if the growth is the stacks of threads that still run.
  int64_t bytesPerCall() const;
  /// Discards the counts.
  void restart();
  size_t calls() const { return heap_.size(); }

private:
  int64_t leastHeapBytes_;
  std::vector<int64_t> heap_, mapped_, threads_;
};

} // namespace assay::engine
