// The clock of collection and validation. Times of different minutes are never
// compared: neighbours in time are, as a ratio, and the median over many such
// pairs forgets interruptions. Short calls are timed several at once, so that a
// sample is long against the clock's own cost.
#include "assay/select/Timing.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

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

/// Small random numbers of a type; bit patterns of 16-bit floats lie in [1, 2),
/// so that none is slow or not a number.
static void fill(std::byte *at, DataType type, int64_t count,
                 const CounterRandom &random) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = (uint64_t(i) * 0x9e3779b97f4a7c15u) ^ random.bits(i / 4096);
    bits ^= bits >> 29;
    float value =
        static_cast<float>(static_cast<int64_t>(bits & 0xffff) - 32768) / 32768;
    double wide = value;
    uint16_t half =
        static_cast<uint16_t>(type == DataType::BF16 ? 0x3f80 | (bits & 0x7f)
                                                     : 0x3c00 | (bits & 0x3ff));
    switch (type) {
    case DataType::F32:
      std::memcpy(at + i * 4, &value, 4);
      break;
    case DataType::F64:
      std::memcpy(at + i * 8, &wide, 8);
      break;
    case DataType::BF16:
    case DataType::F16:
      std::memcpy(at + i * 2, &half, 2);
      break;
    case DataType::S32:
      std::memcpy(at + i * 4, &bits, 4);
      break;
    default:
      at[i] = static_cast<std::byte>(bits);
    }
  }
}

/// Elements from the first to the last of an operand, gaps included.
static int64_t extent(int64_t rows, int64_t columns, int64_t batch,
                      const Strides &strides) {
  if (rows == 0 || columns == 0 || batch == 0)
    return 0;
  return (rows - 1) * strides.row + (columns - 1) * strides.column +
         (batch - 1) * strides.batch + 1;
}

GemmTimer::GemmTimer(const GemmProblem &problem, ThreadPool &pool,
                     uint64_t seed)
    : pool_(pool), ownTimeOnly_(problem.threads == 1) {
  constexpr int64_t kAlign = 4096;
  int64_t a = extent(problem.m, problem.k, problem.batch, problem.aStrides),
          b = extent(problem.k, problem.n, problem.batch, problem.bStrides),
          c = extent(problem.m, problem.n, problem.batch, problem.cStrides);
  auto rounded = [&](int64_t bytes) {
    return (bytes + 64 + kAlign - 1) / kAlign * kAlign;
  };
  int64_t sizeA = rounded(a * sizeOf(problem.a)),
          sizeB = rounded(b * sizeOf(problem.b)),
          sizeC = rounded(c * sizeOf(problem.c));
  memory_.resize(sizeA + sizeB + sizeC + kAlign);
  auto address = (reinterpret_cast<uintptr_t>(memory_.data()) + kAlign - 1) /
                 kAlign * kAlign;
  auto *base = reinterpret_cast<std::byte *>(address);
  fill(base, problem.a, a, CounterRandom(seed, 0));
  fill(base + sizeA, problem.b, b, CounterRandom(seed, 1));
  pointers_.a = base;
  pointers_.b = base + sizeA;
  pointers_.c = base + sizeA + sizeB;
}

/// Now, in nanoseconds: the calling thread's own processor time when all work
/// is its own (an interruption by another process does not count), else the
/// clock on the wall.
static double nowNs(bool ownTimeOnly) {
  timespec now{};
  clock_gettime(ownTimeOnly ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

double GemmTimer::time(const PreparedGemm &kernel, int repetitions) {
  // Another cut of C leaves its lines in the other threads' caches: they move
  // before the clock starts.
  if (!ownTimeOnly_)
    kernel.run(pointers_, pool_);
  double start = nowNs(ownTimeOnly_);
  for (int i = 0; i < repetitions; ++i)
    kernel.run(pointers_, pool_);
  return nowNs(ownTimeOnly_) - start;
}

int GemmTimer::repetitionsFor(const PreparedGemm &kernel, double targetNs) {
  time(kernel, 1);
  double ns = std::min(time(kernel, 1), time(kernel, 1));
  return static_cast<int>(
      std::clamp(std::ceil(targetNs / std::max(ns, 1.0)), 1.0, 4096.0));
}

PairResult select::measurePairs(GemmTimer &timer, const PreparedGemm &anchor,
                                const PreparedGemm &kernel, int repetitions,
                                const PairLimits &limits) {
  std::vector<double> ratios, anchorTimes;
  PairResult result;
  timer.time(kernel, 1); // fresh scratch memory, cold code
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
    if (limits.hopeless > 0 && ratios.size() == 1 &&
        ratios[0] > limits.hopeless)
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
