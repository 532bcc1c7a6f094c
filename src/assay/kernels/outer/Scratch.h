/// Working memory of one thread: it grows to the requested size, and the next
/// call reuses it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace assay::kernels {

class Scratch {
public:
  /// At least `bytes`, 64-byte aligned, undefined content; valid until the next
  /// call on this object.
  char *reserve(int64_t bytes) {
    if (bytes > size_) {
      int64_t page = bytes < kLargePage ? 4096 : kLargePage;
      size_ = (bytes + page - 1) / page * page;
      memory_.reset(static_cast<char *>(std::aligned_alloc(
          static_cast<size_t>(page), static_cast<size_t>(size_))));
#if defined(__linux__)
      // Panels are read many times: large pages need fewer look-ups.
      if (memory_ && page == kLargePage)
        madvise(memory_.get(), static_cast<size_t>(size_), MADV_HUGEPAGE);
#endif
      if (!memory_)
        size_ = 0;
    }
    return memory_.get();
  }

private:
  static constexpr int64_t kLargePage = 2 << 20;
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  int64_t size_ = 0;
};

/// The scratch memory of a thread for packed panels, and for sums that are not
/// accumulated in C itself.
inline Scratch &panelScratch() {
  static thread_local Scratch scratch;
  return scratch;
}
inline Scratch &sumScratch() {
  static thread_local Scratch scratch;
  return scratch;
}

} // namespace assay::kernels
