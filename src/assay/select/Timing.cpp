// The clock for collection and validation. Only runs next to each other in time
// are compared, as a ratio, never times of different minutes; the median over
// many such pairs ignores interruptions. Short calls are timed several at once,
// so that a sample is long compared with the cost of reading the clock.
#include "assay/select/Timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>

using namespace assay;
using namespace assay::select;

PairStatistics select::summarizePairs(std::vector<double> ratios) {
  PairStatistics out;
  out.pairs = static_cast<int>(ratios.size());
  if (ratios.empty())
    return out;
  std::sort(ratios.begin(), ratios.end());
  size_t n = ratios.size();
  out.median =
      n % 2 ? ratios[n / 2] : 0.5 * (ratios[n / 2 - 1] + ratios[n / 2]);
  double reach = 0.98 * std::sqrt(static_cast<double>(n));
  auto low = static_cast<int64_t>(std::floor(n / 2.0 - reach)),
       high = static_cast<int64_t>(std::ceil(n / 2.0 + reach));
  low = std::clamp<int64_t>(low, 0, n - 1);
  high = std::clamp<int64_t>(high, 0, n - 1);
  out.low = ratios[low];
  out.high = ratios[high];
  out.noise = n < 3 ? 1 : 0.5 * (out.high - out.low) / out.median;
  return out;
}

/// The current time in nanoseconds: the calling thread's processor time when
/// the thread does all of the work (so that an interruption by another process
/// does not count), else the wall-clock time.
static double nowNs(bool ownTimeOnly) {
  timespec now{};
  clock_gettime(ownTimeOnly ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

double KernelTimer::time(const Contender &kernel, int repetitions) const {
  // A kernel that divides the result differently among the threads left its
  // lines in other threads' caches; this run moves them before the clock
  // starts.
  if (!ownTimeOnly_)
    kernel.run();
  double start = nowNs(ownTimeOnly_);
  for (int i = 0; i < repetitions; ++i)
    kernel.run();
  return nowNs(ownTimeOnly_) - start;
}

int KernelTimer::repetitionsFor(const Contender &kernel,
                                double targetNs) const {
  time(kernel, 1);
  double ns = std::min(time(kernel, 1), time(kernel, 1));
  return static_cast<int>(
      std::clamp(std::ceil(targetNs / std::max(ns, 1.0)), 1.0, 4096.0));
}

PairResult select::measurePairs(const KernelTimer &timer,
                                const Contender &anchor,
                                const Contender &kernel, int repetitions,
                                const PairLimits &limits) {
  std::vector<double> ratios, anchorTimes;
  PairResult result;
  timer.time(kernel, 1); // makes scratch memory and warms the code
  while (static_cast<int>(ratios.size()) < limits.most) {
    double anchorNs, kernelNs;
    if (ratios.size() % 2 == 0) {
      anchorNs = timer.time(anchor, repetitions);
      kernelNs = timer.time(kernel, repetitions);
    } else {
      kernelNs = timer.time(kernel, repetitions);
      anchorNs = timer.time(anchor, repetitions);
    }
    ratios.push_back(kernelNs / std::max(anchorNs, 1.0));
    anchorTimes.push_back(anchorNs / repetitions);
    // One slow pair may be an interruption; two are not.
    if (limits.hopeless > 0 && ratios.size() == 2 &&
        std::min(ratios[0], ratios[1]) > limits.hopeless)
      break;
    if (static_cast<int>(ratios.size()) < limits.least)
      continue;
    result.statistics = summarizePairs(ratios);
    if (result.statistics.noise < limits.noise)
      break;
  }
  result.statistics = summarizePairs(ratios);
  result.noisy = result.statistics.noise >= limits.noise;
  auto middle = anchorTimes.begin() + anchorTimes.size() / 2;
  std::nth_element(anchorTimes.begin(), middle, anchorTimes.end());
  result.anchorNs = *middle;
  return result;
}
