// Rounding to an element type in double: scale the value so that the last kept
// bit has weight one, round to nearest even, scale back. Source: IEEE 754-2019
// (rounding), the oneDNN developer guide (saturation of integer outputs).
#include "assay/judge/Types.h"
#include "assay/numerics/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::judge;

int judge::digitsOf(ElementType type) {
  if (type.isFloat())
    return numerics::formatInfo(type.format).precision();
  return type.bits - (type.isSigned() ? 1 : 0);
}

double judge::unitRoundoff(ElementType type) {
  return type.isFloat() ? numerics::unitRoundoff(type.format) : 0.0;
}

double judge::maxValue(ElementType type) {
  return type.isFloat() ? numerics::maxFinite(type.format)
                        : std::ldexp(1.0, digitsOf(type)) - 1;
}

double judge::minValue(ElementType type) {
  if (type.isFloat())
    return -maxValue(type);
  return type.isSigned() ? -std::ldexp(1.0, digitsOf(type)) : 0.0;
}

double judge::roundTo(ElementType type, double value) {
  if (type == types::F64 || type == types::None)
    return value;
  if (type == types::F32)
    return static_cast<float>(value);
  if (!type.isFloat()) {
    if (std::isnan(value))
      return 0;
    double rounded = std::nearbyint(value);
    return std::min(std::max(rounded, minValue(type)), maxValue(type));
  }
  const numerics::FormatInfo &format = numerics::formatInfo(type.format);
  if (std::isinf(value) && !format.hasNan())
    return std::copysign(maxValue(type), value);
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), format.minExponent());
  double ulp = std::ldexp(1.0, exponent - format.precision() + 1);
  double rounded = std::nearbyint(value / ulp) * ulp;
  if (std::abs(rounded) <= maxValue(type))
    return rounded;
  return std::copysign(format.hasNan() ? std::numeric_limits<double>::infinity()
                                       : maxValue(type),
                       value);
}

bool judge::mayStore(ElementType type, double low, double high, double got) {
  if (got >= low && got <= high)
    return true;
  if (!isNarrowFloat(type) || (std::isfinite(low) && std::isfinite(high)))
    return false;
  if (std::isnan(got))
    return !numerics::formatInfo(type.format).hasInfinity();
  return (high > maxValue(type) && got == maxValue(type)) ||
         (low < minValue(type) && got == minValue(type));
}
