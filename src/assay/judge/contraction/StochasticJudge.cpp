// One walk over the results. For a value v between the neighbours low and high,
// p = (v - low) / (high - low) is the probability of high; x is 1 where the
// engine chose high. Over independent results
//   sum (x - p)              has variance sum p (1 - p)
//   sum (x - p) (p - 1/2)    has variance sum p (1 - p) (p - 1/2)^2
// and both have the mean 0. With rounding to nearest the first also has a mean
// near 0, but the second a large one. The amount by which the error of v may
// move p adds to the variance: the errors of different sums are independent.
#include "assay/judge/contraction/StochasticJudge.h"
#include "assay/numerics/FloatFormats.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

/// Below this variance, the sums are not close to normally distributed.
static constexpr double kLeastVariance = 8;

/// The step between neighbours of x in the type.
static double stepAt(ElementType type, double x) {
  if (type.isInteger())
    return 1;
  const numerics::FormatInfo &format = numerics::formatInfo(type.format);
  int exponent = x == 0 ? format.minExponent()
                        : std::max(std::ilogb(x), format.minExponent());
  return std::ldexp(1.0, exponent - format.precision() + 1);
}

static double down(ElementType type, double x) {
  double step = stepAt(type, x);
  return std::floor(x / step) * step;
}
static double up(ElementType type, double x) { return -down(type, -x); }

namespace {
struct Tally {
  double sum = 0, variance = 0, slope = 0, slopeVariance = 0;
  int64_t rounded = 0, isUp = 0;
  double due = 0;
};
} // namespace

/// Whether `got` is a neighbour; counts it.
static bool count(ElementType type, double value, double error, double got,
                  Tally &tally) {
  double low = down(type, value - error), high = up(type, value + error);
  if (type.isInteger()) {
    low = std::clamp(low, minValue(type), maxValue(type));
    high = std::clamp(high, minValue(type), maxValue(type));
  }
  if (std::max(std::abs(low), std::abs(high)) > maxValue(type))
    return mayStore(type, std::min(low, roundTo(type, low)),
                    std::max(high, roundTo(type, high)), got);
  if (!(got >= low && got <= high))
    return false;
  // A number of the type itself, or an error that reaches over a neighbour,
  // leaves nothing to count.
  double step = high - low;
  if (step == 0 || low != down(type, value) || high != up(type, value) ||
      error > step / 8)
    return true;
  double p = std::clamp((value - low) / step, 0.0, 1.0),
         x = got == high ? 1 : 0, moved = error / step,
         weight = p * (1 - p) + moved * moved;
  ++tally.rounded;
  tally.isUp += x > 0;
  tally.due += p;
  tally.sum += x - p;
  tally.variance += weight;
  tally.slope += (x - p) * (p - 0.5);
  tally.slopeVariance +=
      p * (1 - p) * (p - 0.5) * (p - 0.5) + moved * moved / 4;
  return true;
}

static double deviations(double sum, double variance) {
  return variance < kLeastVariance / 16 ? 0
                                        : std::abs(sum) / std::sqrt(variance);
}

static void conclude(const Tally &tally, StochasticVerdict &result) {
  result.rounded = tally.rounded;
  if (tally.variance < kLeastVariance)
    return;
  result.deviations = deviations(tally.sum, tally.variance);
  result.slopeDeviations = deviations(tally.slope, tally.slopeVariance);
  if (result.deviations > kMostDeviations)
    result.doubt =
        llvm::formatv("{0} of {1} results between two neighbours are rounded "
                      "up, {2:f1} are due: {3:f1} standard deviations",
                      tally.isUp, tally.rounded, tally.due, result.deviations);
  else if (result.slopeDeviations > kMostDeviations)
    result.doubt = llvm::formatv(
        "of {0} results between two neighbours the {1} one was taken too "
        "often: {2:f1} standard deviations",
        tally.rounded, tally.slope > 0 ? "nearer" : "farther",
        result.slopeDeviations);
}

StochasticVerdict judge::judgeStochastic(const Case &c,
                                         const Epilogue &epilogue,
                                         const Accumulators &sums,
                                         const Bound &bound, const void *data,
                                         ThreadPool &pool) {
  StochasticVerdict result;
  Verdict &verdict = result.verdict;
  const Slot &slot = c.slots[c.out];
  verdict.elements = slot.elements();
  std::vector<float> stored(static_cast<size_t>(slot.elements()));
  unpack(slot, data, stored.data(), pool);
  const Walk &walk = epilogue.walk();
  Tally tally;
  for (int64_t row = 0; row < walk.rows(); ++row)
    for (int64_t at = 0; at < walk.width(); ++at) {
      int64_t index = row * walk.width() + at;
      double value = sums.at(index), got = stored[static_cast<size_t>(index)],
             absolute = sums.absolute.empty()
                            ? std::abs(value)
                            : sums.absolute[static_cast<size_t>(index)],
             error =
                 bound.exact ? 0 : bound.relative * absolute + bound.underflow;
      epilogue.apply(row, at, 1, &value, &error, bound.own);
      if (!std::isfinite(value) || !std::isfinite(error)) {
        ++verdict.undecided;
        continue;
      }
      if (count(slot.type, value, error, got, tally))
        continue;
      ++verdict.failures;
      if (verdict.failing.size() < kPatternPoints)
        verdict.failing.push_back(index);
      if (verdict.worst.size() < kWorstPoints)
        verdict.worst.push_back({index, got, value, std::abs(got - value),
                                 stepAt(slot.type, value) + error,
                                 sums.at(index), true});
    }
  conclude(tally, result);
  return result;
}
