// The allowed growth of a step's error where no program determines it: a gain
// on the errors of its inputs and some roundings of its type.
#include "assay/trace/Growth.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"

#include <algorithm>
#include <cmath>

namespace assay::trace {

static constexpr double kGain =
    1.5; // factor on the inputs' error that a step may have
static constexpr double kRoundings =
    1.2; // and the error that it may add, in roundings of its type, where sums
         // are kept in a wider type
static constexpr double kSumRoundings =
    16; // and where they are kept in the type itself

static double roundingsOf(numerics::ElementType type) {
  return type.bits <= 16 ? kRoundings : kSumRoundings;
}

static double roundingOf(const ComparedRow &row) {
  if (!row.type.isFloat() && !row.type.isComplex())
    return 0;
  double unit = numerics::unitRoundoff(row.type.format);
  if (row.benchRms > 0) // where the tensor nearly underflows
    unit = std::max(unit,
                    numerics::ulpOf(0, row.type.format) / (2 * row.benchRms));
  return unit * roundingsOf(row.type);
}

double largestError(const Comparison &comparison,
                    llvm::ArrayRef<size_t> rows) {
  double largest = 0;
  for (size_t row : rows)
    if (double error = comparison.rows[row].relL2; std::isfinite(error))
      largest = std::max(largest, error);
  return largest;
}

double growthOf(const Comparison &comparison, size_t row,
                llvm::ArrayRef<size_t> sources, bool leaf) {
  const ComparedRow &of = comparison.rows[row];
  double out = of.relL2;
  if (out == 0)
    return 0;
  // If the bench is all zeros: in units of the smallest number.
  if (of.benchRms == 0 && of.nonFiniteDisagree == 0 && of.type.isFloat())
    return of.maxAbs / (numerics::ulpOf(0, of.type.format) *
                        roundingsOf(of.type) * (leaf ? 1 : kBetween));
  double coarsest = roundingOf(of);
  for (size_t source : sources)
    if (comparison.rows[source].relL2 > 0)
      coarsest = std::max(coarsest, roundingOf(comparison.rows[source]));
  double explained = kGain * largestError(comparison, sources) +
                     coarsest * (leaf ? 1 : kBetween);
  return explained == 0 ? HUGE_VAL : out / explained;
}

} // namespace assay::trace
