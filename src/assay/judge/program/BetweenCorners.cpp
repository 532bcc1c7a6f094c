#include "assay/judge/program/BetweenCorners.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

static bool holdsZero(Operand x) {
  return x.radius > 0 && std::abs(x.at) <= x.radius;
}

/// log x, rsqrt x; x^y, which has a branch there for any y.
static double poleAtZero(Operand x, Operand) {
  return holdsZero(x) ? INFINITY : 0;
}

static double quotient(Operand, Operand y) { return holdsZero(y) ? INFINITY : 0; }

/// x - y trunc(x / y): may be anything up to |y| where the whole part of x / y
/// is not the same over the intervals.
static double remainderOf(Operand x, Operand y) {
  double a = std::fabs(x.at.real()), b = std::fabs(y.at.real()),
         least = b - y.radius;
  if (y.radius > 0 && least <= 0)
    return INFINITY;
  bool varies = std::trunc((a + x.radius) / least) !=
                std::trunc(std::max(0.0, a - x.radius) / (b + y.radius));
  return varies ? 2 * (b + y.radius) : 0;
}

/// x^y has a pole at x = 0 where y may be negative.
static double powerOf(Operand x, Operand y) {
  return y.at.real() - y.radius < 0 && holdsZero(x) ? INFINITY : 0;
}

/// sin x, cos x of an interval that is wider than half a period.
static double wave(Operand x, Operand) { return x.radius >= M_PI_2 ? 2 : 0; }

/// Poles at odd multiples of pi / 2 on the real axis.
static double tangent(Operand x, Operand) {
  double next = (std::floor(x.at.real() / M_PI) + 0.5) * M_PI;
  return x.radius > 0 && std::abs(x.at - next) <= x.radius ? INFINITY : 0;
}

/// -i tan(i x)
static double hyperbolicTangent(Operand x, Operand y) {
  return tangent({{x.at.imag(), x.at.real()}, x.radius}, y);
}

/// atan2 jumps by 2 pi where y passes through 0 at negative x.
static double angle(Operand y, Operand x) {
  return holdsZero(y) && x.at.real() - x.radius < 0 ? 2 * M_PI : 0;
}

/// exp(-|x|) I1(x) rises and falls between -0.219 and 0.219 (at 1.55).
static double scaledBessel(Operand x, Operand) {
  return x.radius >= 0.5 ? 2 * 0.219 : 0;
}

/// lgamma and digamma have poles at 0, -1, -2, ...
static double polesOfGamma(Operand x, Operand) {
  double low = x.at.real() - x.radius, high = x.at.real() + x.radius;
  return x.radius > 0 && low <= 0 && std::ceil(low) <= std::min(high, 0.0)
             ? INFINITY
             : 0;
}

namespace {
/// The functions for real and for complex numbers.
struct Row {
  Between real, complex;
};
} // namespace

Between judge::findBetween(llvm::StringRef operation, bool isComplex) {
  // A real logarithm or root is NaN or infinite at an end, too.
  static const llvm::StringMap<Row> kRows{
      {"stablehlo.divide", {quotient, quotient}},
      {"stablehlo.remainder", {remainderOf, nullptr}},
      {"stablehlo.log", {nullptr, poleAtZero}},
      {"stablehlo.rsqrt", {nullptr, poleAtZero}},
      {"stablehlo.power", {powerOf, poleAtZero}},
      {"stablehlo.sine", {wave, nullptr}},
      {"stablehlo.cosine", {wave, nullptr}},
      {"stablehlo.tan", {tangent, tangent}},
      {"chlo.tan", {tangent, tangent}},
      {"stablehlo.tanh", {nullptr, hyperbolicTangent}},
      {"stablehlo.atan2", {angle, nullptr}},
      {"chlo.bessel_i1e", {scaledBessel, nullptr}},
      {"chlo.lgamma", {polesOfGamma, nullptr}},
      {"chlo.digamma", {polesOfGamma, nullptr}},
  };
  Row row = kRows.lookup(operation);
  return isComplex ? row.complex : row.real;
}
