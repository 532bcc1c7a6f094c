// The functions of the mathematical library. Floats of 32 bits or fewer are
// computed in double and rounded once, so the result is the correctly rounded
// one except for cases within 2^-28 of a tie. f64 uses the C library (below 2
// ulp, docs/accuracy.md), binary128 (the shadow of f64) libquadmath, complex
// numbers ComplexMath.h. Source: StableHLO spec (atan2 ... tanh), CHLO (acos
// ... sinh).
#include "assay/reference/ops/ComplexMath.h"
#include "assay/reference/ops/FastLoops.h"
#include "assay/reference/ops/FastTrig.h"
#include "assay/reference/ops/QuadMath.h"

#include <cmath>

namespace assay::reference {

// Makes a functor of one argument from the function's names in double, in
// binary128 and among the complex functions.
#define ASSAY_MATH_FUNCTOR(NAME, REAL, QUAD, COMPLEX)                          \
  struct NAME {                                                                \
    template <typename T> T operator()(T x) const {                            \
      if constexpr (kIsComplex<T>)                                             \
        return complexFunction(ComplexFunction::COMPLEX, x);                   \
      else if constexpr (std::is_same_v<T, Quad>)                              \
        return QUAD(x);                                                        \
      else                                                                     \
        return static_cast<T>(REAL(static_cast<double>(x)));                   \
    }                                                                          \
  };

static double rsqrtOf(double x) {
  return static_cast<double>(1 / std::sqrt(static_cast<long double>(x)));
}
static Quad rsqrtOf(Quad x) { return 1 / sqrtq(x); }

// The C library's cbrt for double has errors up to 3 ulp, the one for long
// double below 1.
static double cbrtOf(double x) {
  return static_cast<double>(std::cbrt(static_cast<long double>(x)));
}
static Quad cbrtOf(Quad x) { return cbrtq(x); }

// 1 / (1 + e^-x) without overflow and without loss for large negative x.
template <typename W> static W logisticOf(W x, W e) {
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
static double logisticOf(double x) {
  return logisticOf<double>(x, std::exp(-std::abs(x)));
}
static Quad logisticOf(Quad x) {
  return logisticOf<Quad>(x, expq(x < 0 ? x : -x));
}

namespace {

ASSAY_MATH_FUNCTOR(Acos, std::acos, acosq, Acos)
ASSAY_MATH_FUNCTOR(Acosh, std::acosh, acoshq, Acosh)
ASSAY_MATH_FUNCTOR(Asin, std::asin, asinq, Asin)
ASSAY_MATH_FUNCTOR(Asinh, std::asinh, asinhq, Asinh)
ASSAY_MATH_FUNCTOR(Atan, std::atan, atanq, Atan)
ASSAY_MATH_FUNCTOR(Atanh, std::atanh, atanhq, Atanh)
ASSAY_MATH_FUNCTOR(Cbrt, cbrtOf, cbrtOf, Cbrt)
ASSAY_MATH_FUNCTOR(Cos, std::cos, cosq, Cos)
ASSAY_MATH_FUNCTOR(Cosh, std::cosh, coshq, Cosh)
ASSAY_MATH_FUNCTOR(Exp, std::exp, expq, Exp)
ASSAY_MATH_FUNCTOR(Expm1, std::expm1, expm1q, Expm1)
ASSAY_MATH_FUNCTOR(Log, std::log, logq, Log)
ASSAY_MATH_FUNCTOR(Log1p, std::log1p, log1pq, Log1p)
ASSAY_MATH_FUNCTOR(Logistic, logisticOf, logisticOf, Logistic)
ASSAY_MATH_FUNCTOR(Rsqrt, rsqrtOf, rsqrtOf, Rsqrt)
ASSAY_MATH_FUNCTOR(Sin, std::sin, sinq, Sin)
ASSAY_MATH_FUNCTOR(Sinh, std::sinh, sinhq, Sinh)
ASSAY_MATH_FUNCTOR(Tan, std::tan, tanq, Tan)
ASSAY_MATH_FUNCTOR(Tanh, std::tanh, tanhq, Tanh)

ASSAY_INLINE double rsqrtFast(double x) { return 1 / std::sqrt(x); }

/// Correctly rounded in f32 and f64; narrow types are computed in f32.
struct Sqrt {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return complexFunction(ComplexFunction::Sqrt, x);
    else if constexpr (std::is_same_v<T, Quad>)
      return sqrtq(x);
    else
      return std::sqrt(x);
  }
};

struct Atan2 {
  template <typename T> T operator()(T y, T x) const {
    if constexpr (kIsComplex<T>)
      return complexAtan2(y, x);
    else if constexpr (std::is_same_v<T, Quad>)
      return atan2q(y, x);
    else
      return static_cast<T>(
          std::atan2(static_cast<double>(y), static_cast<double>(x)));
  }
};

} // namespace

namespace loops {

LoopChoice acos(const LoopQuery &query) { return chooseMath<Acos>(query); }
LoopChoice acosh(const LoopQuery &query) { return chooseMath<Acosh>(query); }
LoopChoice asin(const LoopQuery &query) { return chooseMath<Asin>(query); }
LoopChoice asinh(const LoopQuery &query) { return chooseMath<Asinh>(query); }
LoopChoice atan(const LoopQuery &query) { return chooseMath<Atan>(query); }
LoopChoice atan2(const LoopQuery &query) { return chooseMath<Atan2, 2>(query); }
LoopChoice atanh(const LoopQuery &query) { return chooseMath<Atanh>(query); }
LoopChoice cbrt(const LoopQuery &query) {
  return chooseFast<Cbrt, fast::cbrt>(query);
}
LoopChoice cosh(const LoopQuery &query) {
  return chooseFast<Cosh, fast::cosh>(query);
}
LoopChoice cosine(const LoopQuery &query) {
  return chooseFast<Cos, fast::cos>(query);
}
LoopChoice exponential(const LoopQuery &query) {
  return chooseFast<Exp, fast::exp>(query);
}
LoopChoice exponentialMinusOne(const LoopQuery &query) {
  return chooseFast<Expm1, fast::expm1>(query);
}
LoopChoice log(const LoopQuery &query) {
  return chooseFast<Log, fast::log>(query);
}
LoopChoice logPlusOne(const LoopQuery &query) {
  return chooseFast<Log1p, fast::log1p>(query);
}
LoopChoice logistic(const LoopQuery &query) {
  return chooseFast<Logistic, fast::logistic>(query);
}
LoopChoice rsqrt(const LoopQuery &query) {
  return chooseFast<Rsqrt, rsqrtFast>(query);
}
LoopChoice sine(const LoopQuery &query) {
  return chooseFast<Sin, fast::sin>(query);
}
LoopChoice sinh(const LoopQuery &query) {
  return chooseFast<Sinh, fast::sinh>(query);
}
LoopChoice sqrt(const LoopQuery &query) {
  return chooseSame<Sqrt, 1>(
      query, numerics::Concat<FastFloatTypes, ComplexLoopTypes>{});
}
LoopChoice tan(const LoopQuery &query) {
  return chooseFast<Tan, fast::tan>(query);
}
LoopChoice tanh(const LoopQuery &query) {
  return chooseFast<Tanh, fast::tanh>(query);
}

} // namespace loops
} // namespace assay::reference
