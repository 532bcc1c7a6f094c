/// The functions of libquadmath that the reference calls. Declared here because
/// libquadmath's own header requires GNU mode and is not found by clang.
#pragma once

#include "assay/numerics/Values.h"

namespace assay::reference {

using numerics::Quad;
/// C's complex type with binary128 parts, the type that libquadmath expects.
typedef _Complex float ComplexQuad __attribute__((mode(TC)));

extern "C" {
Quad acoshq(Quad) noexcept;
Quad acosq(Quad) noexcept;
Quad asinhq(Quad) noexcept;
Quad asinq(Quad) noexcept;
Quad atan2q(Quad, Quad) noexcept;
Quad atanhq(Quad) noexcept;
Quad atanq(Quad) noexcept;
Quad cbrtq(Quad) noexcept;
Quad ceilq(Quad) noexcept;
Quad coshq(Quad) noexcept;
Quad cosq(Quad) noexcept;
Quad erfcq(Quad) noexcept;
Quad erfq(Quad) noexcept;
Quad expm1q(Quad) noexcept;
Quad expq(Quad) noexcept;
Quad floorq(Quad) noexcept;
Quad fmodq(Quad, Quad) noexcept;
Quad hypotq(Quad, Quad) noexcept;
Quad lgammaq(Quad) noexcept;
Quad log1pq(Quad) noexcept;
Quad logq(Quad) noexcept;
Quad nextafterq(Quad, Quad) noexcept;
Quad powq(Quad, Quad) noexcept;
Quad rintq(Quad) noexcept;
Quad roundq(Quad) noexcept;
Quad sinhq(Quad) noexcept;
Quad sinq(Quad) noexcept;
Quad sqrtq(Quad) noexcept;
Quad tanhq(Quad) noexcept;
Quad tanq(Quad) noexcept;
Quad copysignq(Quad, Quad) noexcept;
ComplexQuad cacoshq(ComplexQuad) noexcept;
ComplexQuad cacosq(ComplexQuad) noexcept;
ComplexQuad casinhq(ComplexQuad) noexcept;
ComplexQuad casinq(ComplexQuad) noexcept;
ComplexQuad catanhq(ComplexQuad) noexcept;
ComplexQuad catanq(ComplexQuad) noexcept;
ComplexQuad ccoshq(ComplexQuad) noexcept;
ComplexQuad ccosq(ComplexQuad) noexcept;
ComplexQuad cexpq(ComplexQuad) noexcept;
ComplexQuad clogq(ComplexQuad) noexcept;
ComplexQuad csinhq(ComplexQuad) noexcept;
ComplexQuad csinq(ComplexQuad) noexcept;
ComplexQuad csqrtq(ComplexQuad) noexcept;
ComplexQuad ctanhq(ComplexQuad) noexcept;
ComplexQuad ctanq(ComplexQuad) noexcept;
}

} // namespace assay::reference
