// Second half of the pair pass: sums, extremes and counts over a decoded block.
// The loops are in PairKernelLoops.inc, written with the compiler's vector
// types, and are compiled here for AVX-512, AVX2 and the baseline; one set is
// chosen at the first call. (target_clones would lower the vectors for the
// baseline before cloning.) All three compute the same bits.
#include "assay/numerics/PairBlock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::numerics::detail {

static int paddedSize(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

void padTail(PairBlock &block) {
  for (int i = block.n; i < paddedSize(block.n); ++i)
    block.target[i] = block.bench[i] = block.difference[i] = 0;
}

namespace {
struct Loops {
  bool (*anyBeyond)(const PairBlock &, double, double);
  void (*sumPair)(PairBlock &, const KernelLimits &, KernelSums &);
  int64_t (*countAbove)(const PairBlock &, double);
  double (*largestOf)(const double *, int, double);
  void (*sumOne)(const double *, int, double, OneSums &);
  double (*sumDeviations)(const double *, int, double);
};
} // namespace

namespace baseline {
#define ASSAY_WIDTH 16
#include "assay/numerics/PairKernelLoops.inc"
#undef ASSAY_WIDTH
static constexpr Loops kLoops{anyBeyond, sumPair, countAbove,
                              largestOf, sumOne,  sumDeviations};
} // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ASSAY_HAS_WIDE_LOOPS 1
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#define ASSAY_WIDTH 32
#include "assay/numerics/PairKernelLoops.inc"
#undef ASSAY_WIDTH
static constexpr Loops kLoops{anyBeyond, sumPair, countAbove,
                              largestOf, sumOne,  sumDeviations};
} // namespace avx2
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target(                                                            \
    "avx2,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")
namespace avx512 {
#define ASSAY_WIDTH 64
#include "assay/numerics/PairKernelLoops.inc"
#undef ASSAY_WIDTH
static constexpr Loops kLoops{anyBeyond, sumPair, countAbove,
                              largestOf, sumOne,  sumDeviations};
} // namespace avx512
#pragma GCC pop_options
#endif

static const Loops &loops() {
#ifdef ASSAY_HAS_WIDE_LOOPS
  static const Loops &chosen = __builtin_cpu_supports("avx512dq") &&
                                       __builtin_cpu_supports("avx512vl") &&
                                       __builtin_cpu_supports("avx512bw")
                                   ? avx512::kLoops
                               : __builtin_cpu_supports("avx2")
                                   ? avx2::kLoops
                                   : baseline::kLoops;
  return chosen;
#else
  return baseline::kLoops;
#endif
}

bool anyBeyond(const PairBlock &block, double slope, double offset) {
  return loops().anyBeyond(block, slope, offset);
}
void sumPair(PairBlock &block, const KernelLimits &limits, KernelSums &sums) {
  loops().sumPair(block, limits, sums);
}
int64_t countAbove(const PairBlock &block, double threshold) {
  return loops().countAbove(block, threshold);
}
double largestOf(const double *values, int n) {
  return loops().largestOf(values, n, 1);
}
double smallestOf(const double *values, int n) {
  return -loops().largestOf(values, n, -1);
}
void sumOne(const double *values, int n, double minNormal, OneSums &sums) {
  loops().sumOne(values, n, minNormal, sums);
}
double sumDeviations(const double *values, int n, double mean) {
  return loops().sumDeviations(values, n, mean);
}

} // namespace assay::numerics::detail
