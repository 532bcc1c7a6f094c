// ULP distances by run-time type, and the spacing of a format's numbers; the
// templates are in Ulp.h. Used by metrics, tolerance rules and
// check.expect_close.
#include "assay/numerics/Ulp.h"
#include "assay/numerics/Dispatch.h"

namespace assay::numerics {

uint64_t ulpDistance(ElementType type, const void *a, const void *b) {
  return dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    return ulpDistance(*static_cast<const T *>(a), *static_cast<const T *>(b));
  });
}

double ulpOf(double x, FloatFormat format) {
  if (x != x)
    return x;
  const FormatInfo &info = formatInfo(format);
  int exponent = x == 0       ? info.minExponent()
                 : x - x == 0 ? std::ilogb(x)
                              : info.maxExponent();
  exponent = std::clamp(exponent, info.minExponent(), info.maxExponent());
  return std::ldexp(1.0, exponent - info.mantissaBits);
}

double ulpError(double got, double exact, FloatFormat format) {
  if (got == exact || (got != got && exact != exact))
    return 0;
  double error = std::fabs(got - exact) / ulpOf(exact, format);
  return got - got == 0 && exact - exact == 0
             ? error
             : std::numeric_limits<double>::infinity();
}

} // namespace assay::numerics
