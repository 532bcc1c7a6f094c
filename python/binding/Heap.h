/// Keeps the memory of large temporaries in the process while it judges.
#pragma once

#include <cstdint>
#include <malloc.h>

namespace assay::python {

/// While one lives, freed tensors stay in the heap: a judgement allocates and
/// frees vectors of the tensors' size dozens of times, and fresh pages for each
/// would cost more than the arithmetic. Afterwards the heap is returned to the
/// system, and malloc's limits are set to the values that they reach by
/// themselves when large blocks are freed. Does nothing for small tensors.
class WarmHeap {
public:
  explicit WarmHeap(int64_t tensorBytes) : isLarge_(tensorBytes >= 1 << 20) {
    if (!isLarge_)
      return;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
  }
  ~WarmHeap() {
    if (!isLarge_)
      return;
    mallopt(M_MMAP_MAX, 65536);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    malloc_trim(0);
  }
  WarmHeap(const WarmHeap &) = delete;

private:
  bool isLarge_;
};

} // namespace assay::python
