/// Working memory of one thread: it grows to what is asked for and is reused by
/// the next call.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace assay::kernels {

class Scratch {
public:
  /// At least `bytes`, 64-byte aligned, undefined content; valid until the next
  /// call on this object.
  char *reserve(int64_t bytes) {
    if (bytes > size_) {
      size_ = (bytes + 4095) / 4096 * 4096;
      memory_.reset(static_cast<char *>(
          std::aligned_alloc(4096, static_cast<size_t>(size_))));
      if (!memory_)
        size_ = 0;
    }
    return memory_.get();
  }

private:
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  int64_t size_ = 0;
};

/// Scratch for packed panels, and for sums that are not made in C itself; one
/// of each a thread.
inline Scratch &panelScratch() {
  static thread_local Scratch scratch;
  return scratch;
}
inline Scratch &sumScratch() {
  static thread_local Scratch scratch;
  return scratch;
}

} // namespace assay::kernels
