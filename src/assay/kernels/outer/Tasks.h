/// How the families divide a product among threads.
#pragma once

#include "assay/support/ThreadPool.h"

#include <algorithm>

namespace assay::kernels {

/// With fewer multiply-adds, waking a thread costs more than it saves, for
/// products that memory limits.
constexpr double kLeastShared = 250000;

/// Calls run(index) for each index in [first, last), on at most `threads`
/// threads of the pool. The same thread gets the same indices at each call, so
/// that the data it wrote are still in its caches.
template <typename Run>
void forEachTask(int64_t first, int64_t last, int64_t threads, ThreadPool &pool,
                 const Run &run) {
  int64_t active = std::min<int64_t>({threads, pool.threads(), last - first});
  if (active <= 1) {
    for (int64_t index = first; index < last; ++index)
      run(index);
    return;
  }
  pool.runOnAll([&](int thread) {
    for (int64_t index = first + thread; thread < active && index < last;
         index += active)
      run(index);
  });
}

} // namespace assay::kernels
