/// The process keeps the memory of large temporaries while it judges.
#pragma once

#include <cstdint>
#include <malloc.h>

namespace assay::python {

/// While one lives, freed tensors stay in the heap: a judgement takes and frees
/// vectors of the tensors' size dozens of times, and fresh pages for each would
/// cost more than the arithmetic. Afterwards the heap is given back, and malloc's
/// limits are what they become by themselves where large blocks come and go.
/// Does nothing for small tensors.
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
