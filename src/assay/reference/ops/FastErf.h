/// erf and erfc in double for arguments that come from floats of 32 bits or
/// fewer: no branches and no calls (see FastMath.h). Relative error below 2^-45.
///
///   erf    x P(x^2) below 1, else 1 - e^(-x^2) Q(t), t = 2 / (2 + x)
///   erfc   e^(-x^2) R(t) for x >= 0, 2 minus that of -x for x < 0
///
/// P, Q and R interpolate in the Chebyshev points of their intervals (50 digits,
/// mpmath); they are given in powers of the variable mapped to [-1, 1].
#pragma once

#include "assay/reference/ops/FastMath.h"

namespace assay::reference::fast {

/// erf(x) / x over x^2 in [0, 1]; relative error 2^-51.
inline constexpr double kErfSmall[] = {
    0x1.ee51eb23cb7eap-1,   -0x1.1fd1629215291p-3,  0x1.454368017b06fp-6,
    -0x1.2b902b7b011d0p-9,  0x1.c82aa249c3223p-13,  -0x1.26399238f32c3p-16,
    0x1.4866390b67ce6p-20,  -0x1.429d6d2b4329ep-24, 0x1.1ad539dbf0e16p-28,
    -0x1.c1daa88f3ac1ap-33, 0x1.43f6d0dee7032p-37};
/// e^(x^2) erfc(x) over t in [2 / 6.5, 2 / 3]; 2^-48.
inline constexpr double kErfLarge[] = {
    0x1.f4f0b5f7d7589p-3,   0x1.310fcce692175p-3,  0x1.f16a8a7b38266p-6,
    0x1.dc433a33b5c36p-9,   0x1.41da1d38f9425p-14, -0x1.56b5e1484ca5ap-15,
    -0x1.259f2b344ce38p-19, 0x1.8f8e22faeac09p-21, 0x1.908efdebb5cf8p-26,
    -0x1.32bd1e44964a4p-26, 0x1.6febc50f1c867p-31, 0x1.be9a899ca0d14p-32,
    -0x1.cdc2c41a0a755p-35, -0x1.713fb9de38a39p-38};
/// e^(x^2) erfc(x) over t in [2 / 12.5, 1]; 2^-51.
inline constexpr double kErfc[] = {
    0x1.522ee80f09525p-2,   0x1.b736fa7b6bd0dp-2,   0x1.94667d32fd813p-3,
    0x1.8226509ad5992p-5,   -0x1.0b86c1753d4abp-10, -0x1.8f67b9191fbfep-9,
    0x1.51226ba913dd4p-14,  0x1.150c10bdd6c56p-12,  -0x1.50486f93ac1e9p-15,
    -0x1.6b73a8f2a3610p-16, 0x1.366e7d1ba9e76p-17,  0x1.7d2bbe2fb4ad2p-22,
    -0x1.5de0de5d7c4aep-20, 0x1.8514ee5154d5cp-22,  0x1.02b2e65c2f60ap-24,
    -0x1.46bcc97252f5cp-24, 0x1.6c51ef98b88ffp-26,  0x1.0865c4a11ee8ap-28,
    -0x1.7a1540d78e13bp-28, 0x1.6b6582adbadd2p-30,  0x1.0b56f03cf6779p-31,
    -0x1.036d3f46cc1d0p-32};

ASSAY_FAST_INLINE double erf(double x) {
  double size = std::abs(x);
  size = size < 4.5 ? size : 4.5; // 1 - erf(4.5) is 2^-33, so erf rounds to 1
                                  // in f32
  double square = size * size;
  double small = size * polynomial(kErfSmall, 2 * square - 1);
  double t = 2 / (2 + size);
  double large =
      1 - exp(-square) * polynomial(kErfLarge, (t - 0x1.f2df2df2df2dfp-2) *
                                                   0x1.6492492492492p+2);
  double result = std::copysign(size < 1 ? small : large, x);
  return x != x ? x : result;
}

ASSAY_FAST_INLINE double erfc(double x) {
  double size = std::abs(x);
  size = size < 10.5 ? size : 10.5; // erfc(10.5) is below half of 2^-149
  double t = 2 / (2 + size);
  double tail =
      exp(-size * size) *
      polynomial(kErfc, (t - 0x1.28f5c28f5c28fp-1) * 0x1.30c30c30c30c3p+1);
  double result = x < 0 ? 2 - tail : tail;
  return x != x ? x : result;
}

} // namespace assay::reference::fast
