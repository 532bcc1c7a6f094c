/// Distributes indices among threads so that each gets neighbouring ones for as
/// long as possible: it then reads consecutive memory, which can be prefetched.
#pragma once

#include "assay/support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace assay {

/// Splits [0, count) into one contiguous range per thread. A thread takes the
/// indices of its own range from the front, one at a time; when that is empty,
/// it takes those of other ranges from the back.
/// Threads: any number may take at the same time.
class SharedRanges {
public:
  /// count below 2^31.
  SharedRanges(int64_t count, int64_t ranges)
      : ranges_(ranges), left_(new std::atomic<uint64_t>[
                             static_cast<size_t>(ranges)]) {
    for (int64_t range = 0; range < ranges; ++range)
      left_[range] = pack(static_cast<uint64_t>(count * range / ranges),
                          static_cast<uint64_t>(count * (range + 1) / ranges));
  }
  /// The next index of the range, or -1 when it is empty.
  int64_t takeFront(int64_t range) { return take(range, /*front=*/true); }
  /// The last index of the first range that is not empty, or -1.
  int64_t takeBack() {
    int64_t index = -1;
    for (int64_t range = 0; index < 0 && range < ranges_; ++range)
      index = take(range, /*front=*/false);
    return index;
  }

private:
  static uint64_t pack(uint64_t begin, uint64_t end) {
    return begin << 32 | end;
  }
  int64_t take(int64_t range, bool front) {
    std::atomic<uint64_t> &left = left_[range];
    uint64_t seen = left.load(std::memory_order_relaxed);
    while (true) {
      uint64_t begin = seen >> 32, end = seen & 0xffffffff;
      if (begin >= end)
        return -1;
      uint64_t rest = front ? pack(begin + 1, end) : pack(begin, end - 1);
      if (left.compare_exchange_weak(seen, rest, std::memory_order_relaxed))
        return static_cast<int64_t>(front ? begin : end - 1);
    }
  }

  int64_t ranges_;
  std::unique_ptr<std::atomic<uint64_t>[]> left_; ///< first and end of each range
};

/// Calls body(index) once for each index in [0, count), in the order of
/// SharedRanges, on at most one thread per `grain` indices.
template <typename Body>
void forEachInRanges(ThreadPool &pool, int64_t count, int64_t grain,
                     const Body &body) {
  int64_t ranges =
      std::clamp<int64_t>(count / std::max<int64_t>(1, grain), 1, pool.threads());
  if (ranges == 1) {
    for (int64_t index = 0; index < count; ++index)
      body(index);
    return;
  }
  SharedRanges shared(count, ranges);
  pool.parallelFor(ranges, 1, [&](int64_t begin, int64_t end) {
    for (int64_t range = begin; range < end; ++range)
      for (int64_t index; (index = shared.takeFront(range)) >= 0;)
        body(index);
    for (int64_t index; (index = shared.takeBack()) >= 0;)
      body(index);
  });
}

} // namespace assay
