/// The memory that a run may hold (--max-memory), charged when a buffer is made
/// and given back when it dies.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace assay {

class MemoryBudget {
public:
  explicit MemoryBudget(
      int64_t limitBytes = std::numeric_limits<int64_t>::max())
      : limit_(limitBytes) {}

  /// Returns false, and charges nothing, when the limit would be exceeded.
  bool charge(int64_t sizeBytes) {
    int64_t now =
        used_.fetch_add(sizeBytes, std::memory_order_relaxed) + sizeBytes;
    if (now > limit_) {
      used_.fetch_sub(sizeBytes, std::memory_order_relaxed);
      return false;
    }
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak &&
           !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return true;
  }
  void release(int64_t sizeBytes) {
    used_.fetch_sub(sizeBytes, std::memory_order_relaxed);
  }

  int64_t limitBytes() const { return limit_; }
  int64_t usedBytes() const { return used_.load(std::memory_order_relaxed); }
  int64_t peakBytes() const { return peak_.load(std::memory_order_relaxed); }

private:
  int64_t limit_;
  std::atomic<int64_t> used_{0}, peak_{0};
};

} // namespace assay
