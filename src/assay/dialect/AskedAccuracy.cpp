#include "assay/dialect/AskedAccuracy.h"
#include "assay/dialect/Stablehlo.h"

#include <algorithm>
#include <cmath>

namespace assay {

static stablehlo::ResultAccuracyAttr accuracyOf(mlir::Operation *op) {
  return op->getAttrOfType<stablehlo::ResultAccuracyAttr>("result_accuracy");
}

double AskedAccuracy::allowed(double exact, double epsilon) const {
  double share = std::max(relative, static_cast<double>(ulps) * epsilon);
  return std::max(std::abs(exact) * share, absolute);
}

std::optional<AskedAccuracy> askedAccuracy(mlir::Operation *op) {
  stablehlo::ResultAccuracyAttr attr = accuracyOf(op);
  if (!attr ||
      attr.getMode().getValue() != stablehlo::ResultAccuracyMode::TOLERANCE)
    return std::nullopt;
  return AskedAccuracy{attr.getAtol().convertToDouble(),
                       attr.getRtol().convertToDouble(), attr.getUlps()};
}

bool allowsUlps(mlir::Operation *op, double ulps) {
  if (std::optional<AskedAccuracy> asked = askedAccuracy(op))
    return std::max(asked->relative, static_cast<double>(asked->ulps) *
                                         0x1p-23) >= ulps * 0x1p-23;
  stablehlo::ResultAccuracyAttr attr = accuracyOf(op);
  return !attr ||
         attr.getMode().getValue() == stablehlo::ResultAccuracyMode::DEFAULT;
}

} // namespace assay
