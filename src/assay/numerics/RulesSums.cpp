// Applies rules to the sums of the pair pass. Most tensors of a comparison
// pass, which the largest error, or the largest excess over slope * |expected|,
// proves without reading the elements again. Failing tensors are judged element
// by element (RulesJudge.cpp), which finds the worst element.
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Rules.h"

namespace assay::numerics {

double Rule::slopeFor(ElementType type) const {
  if (kind_ == RuleKind::Dtype)
    return a_ * dtypeConstant(type);
  return kind_ == RuleKind::Close ? a_ : 0;
}

bool Rule::passesBySums(const PairAccumulator &sums, double expectedRms) const {
  constexpr double kMargin =
      1 - 1e-9; // the element-wise test rounds in another order
  if (sums.nonFinite.disagree > 0)
    return false;
  bool exactType = !sums.type.isFloat() && !sums.type.isComplex();
  bool sameSlope = sums.options.slope == slopeFor(sums.type);
  switch (kind_) {
  case RuleKind::Dtype: {
    if (exactType)
      return sums.mismatches == 0;
    if (sums.type.format == FloatFormat::F8E8M0FNU || !sameSlope ||
        sums.finitePairs == 0)
      return false;
    double rms = std::sqrt(sums.benchSquares.value() /
                           static_cast<double>(sums.finitePairs));
    if (expectedRms >= 0)
      rms = expectedRms;
    return sums.maxExcess <= sums.options.slope * rms * kMargin;
  }
  case RuleKind::Close:
    return sameSlope && sums.maxExcess <= b_ * kMargin;
  case RuleKind::Xray:
    return sums.maxAbs.error <= a_ * kMargin;
  case RuleKind::Ulp:
    return static_cast<double>(sums.ulpMax) <= a_;
  default:
    return false;
  }
}

} // namespace assay::numerics
