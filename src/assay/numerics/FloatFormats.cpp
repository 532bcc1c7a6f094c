// Extreme values of the float formats, computed from the table of
// FloatFormats.h, for tolerance rules and bounds.
#include "assay/numerics/FloatFormats.h"

#include <cmath>

namespace assay::numerics {

static_assert(
    [] {
      size_t place = 0;
      for (const FormatInfo &row : kFormatTable)
        if (static_cast<size_t>(row.format) != place++)
          return false;
      return true;
    }(),
    "FloatFormats.def is in the order of FloatFormat");

double maxFinite(FloatFormat format) {
  const FormatInfo &info = formatInfo(format);
  // 1.11..1 with `mantissaBits` digits, one less in the last place when that
  // code is NaN.
  double significand = 2.0 - std::ldexp(1.0, -info.mantissaBits);
  if (info.nonFinite == NonFinite::NanAllOnes)
    significand -= std::ldexp(1.0, -info.mantissaBits);
  return std::ldexp(significand, info.maxExponent());
}

double minNormal(FloatFormat format) {
  return std::ldexp(1.0, formatInfo(format).minExponent());
}

double minPositive(FloatFormat format) {
  return std::ldexp(1.0, formatInfo(format).minSubnormalExponent());
}

double unitRoundoff(FloatFormat format) {
  return std::ldexp(1.0, -formatInfo(format).precision());
}

} // namespace assay::numerics
