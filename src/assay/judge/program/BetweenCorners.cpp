#include "assay/judge/program/BetweenCorners.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

/// Whether the interval (complex: the circle about its square) holds 0.
static bool holdsZero(Operand x, bool isComplex) {
  return x.error > 0 &&
         std::abs(x.at) <= x.error * (isComplex ? M_SQRT2 : 1);
}

/// x / y about y = 0.
static double quotient(Operand, Operand y, bool isComplex) {
  return holdsZero(y, isComplex) ? INFINITY : 0;
}

/// x - y trunc(x / y): a whole period of it where the quotient is open.
static double remainderOf(Operand x, Operand y, bool) {
  double a = std::fabs(x.at.real()), b = std::fabs(y.at.real()),
         least = b - y.error;
  if (y.error > 0 && least <= 0)
    return INFINITY;
  bool isOpen = std::trunc((a + x.error) / least) !=
                std::trunc(std::max(0.0, a - x.error) / (b + y.error));
  return isOpen ? 2 * (b + y.error) : 0;
}

/// log x, rsqrt x: real ones are NaN or infinite at an end, too.
static double poleAtZero(Operand x, Operand, bool isComplex) {
  return holdsZero(x, isComplex) ? INFINITY : 0;
}

/// x^y has a pole at 0 where y may be negative; complex: a branch for any y.
static double powerOf(Operand x, Operand y, bool isComplex) {
  bool mayBeNegative = isComplex || y.at.real() - y.error < 0;
  return mayBeNegative && holdsZero(x, isComplex) ? INFINITY : 0;
}

/// sin x, cos x of an interval that is wider than half a period.
static double wave(Operand x, Operand, bool isComplex) {
  return !isComplex && x.error >= M_PI_2 ? 2 : 0;
}

/// Poles at odd multiples of pi / 2 on one axis: `along` it, `beside` it.
static double polesOnAxis(double along, double beside, double radius) {
  double next = (std::floor(along / M_PI) + 0.5) * M_PI;
  return radius > 0 && std::hypot(along - next, beside) <= radius ? INFINITY : 0;
}

static double tangent(Operand x, Operand, bool isComplex) {
  return polesOnAxis(x.at.real(), x.at.imag(),
                     x.error * (isComplex ? M_SQRT2 : 1));
}

/// The real one has no pole.
static double hyperbolicTangent(Operand x, Operand, bool isComplex) {
  return isComplex ? polesOnAxis(x.at.imag(), x.at.real(), x.error * M_SQRT2)
                   : 0;
}

/// atan2 jumps by a turn where y goes through 0 left of the origin.
static double angle(Operand y, Operand x, bool) {
  return y.error > 0 && std::fabs(y.at.real()) <= y.error &&
                 x.at.real() - x.error < 0
             ? 2 * M_PI
             : 0;
}

/// exp(-|x|) I1(x) rises and falls between -0.219 and 0.219 (at 1.55).
static double scaledBessel(Operand x, Operand, bool) {
  return x.error >= 0.5 ? 2 * 0.219 : 0;
}

/// lgamma and digamma have poles at 0, -1, -2, ...
static double polesOfGamma(Operand x, Operand, bool) {
  double low = x.at.real() - x.error, high = x.at.real() + x.error;
  return x.error > 0 && low <= 0 && std::ceil(low) <= std::min(high, 0.0)
             ? INFINITY
             : 0;
}

Between judge::findBetween(llvm::StringRef operation) {
  static const llvm::StringMap<Between> kRows{
      {"stablehlo.divide", quotient},   {"stablehlo.remainder", remainderOf},
      {"stablehlo.log", poleAtZero},    {"stablehlo.rsqrt", poleAtZero},
      {"stablehlo.power", powerOf},     {"stablehlo.sine", wave},
      {"stablehlo.cosine", wave},       {"stablehlo.tan", tangent},
      {"chlo.tan", tangent},            {"stablehlo.tanh", hyperbolicTangent},
      {"stablehlo.atan2", angle},       {"chlo.bessel_i1e", scaledBessel},
      {"chlo.lgamma", polesOfGamma},    {"chlo.digamma", polesOfGamma},
  };
  return kRows.lookup(operation);
}
