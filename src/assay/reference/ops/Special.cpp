// Special functions. Each is one template over the type that it is computed in:
// double for floats of 32 bits or fewer, long double for f64, binary128 for
// the shadow of f64; the result is rounded once.
//
//   digamma    reflection to x > 0, recurrence up to a large x, then
//              ln x - 1/2x - sum B_2k / (2k x^2k)
//   zeta       Hurwitz: the first terms, then Euler-Maclaurin; q < 0 (s an
//              integer) by the two-sided sum, whose other half has a positive q
//   polygamma  (-1)^(n+1) n! zeta(n + 1, x)
//   bessel_i1e the power series of I1 times e^-x for moderate x, the asymptotic
//              series beyond
//   erf_inv    Halley's iteration on erf, or on erfc near +-1, so that 1 - |x|
//              is exact
//
// At poles, as in CHLO's decompositions: digamma is NaN; zeta and polygamma are
// +inf for an even power, else NaN. Source: CHLO; Abramowitz and Stegun 6.3,
// 6.4, 9.6, 9.7, 23.1, 23.2.
#include "assay/reference/ops/FastErf.h"
#include "assay/reference/ops/FastLoops.h"
#include "assay/reference/ops/QuadMath.h"

#include <cmath>

namespace assay::reference {

// Declares the functions for each of the three types.
#define ASSAY_SPECIAL_WRAP(NAME, QUAD)                                         \
  static double NAME(double x) { return std::NAME(x); }                        \
  static long double NAME(long double x) { return std::NAME(x); }              \
  static Quad NAME(Quad x) { return QUAD(x); }
namespace wide {
ASSAY_SPECIAL_WRAP(exp, expq)
ASSAY_SPECIAL_WRAP(log, logq)
ASSAY_SPECIAL_WRAP(tan, tanq)
ASSAY_SPECIAL_WRAP(sqrt, sqrtq)
ASSAY_SPECIAL_WRAP(floor, floorq)
ASSAY_SPECIAL_WRAP(round, roundq)
ASSAY_SPECIAL_WRAP(erf, erfq)
ASSAY_SPECIAL_WRAP(erfc, erfcq)
static double pow(double x, double y) { return std::pow(x, y); }
static long double pow(long double x, long double y) { return std::pow(x, y); }
static Quad pow(Quad x, Quad y) { return powq(x, y); }
static double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
static long double lgamma(long double x) {
  int sign;
  return ::lgammal_r(x, &sign);
}
static Quad lgamma(Quad x) { return lgammaq(x); }
template <typename W> static W abs(W x) { return x < 0 ? -x : x; }
} // namespace wide
#undef ASSAY_SPECIAL_WRAP

namespace {

/// Constants that depend on the type: unit roundoff, pi and sqrt(pi) as sums of
/// exact doubles, and where the asymptotic series of digamma and zeta (`shift`)
/// and of bessel_i1e (`besselSwitch`) take over.
template <typename W> struct Wide {
  static constexpr bool kQuad = std::is_same_v<W, Quad>;
  static constexpr bool kLong = std::is_same_v<W, long double>;
  static W epsilon() {
    return static_cast<W>(kQuad ? 0x1p-113 : kLong ? 0x1p-64 : 0x1p-53);
  }
  static W pi() {
    return static_cast<W>(0x1.921fb54442d18p1) +
           static_cast<W>(0x1.1a62633145c07p-53) +
           static_cast<W>(-0x1.f1976b7ed8fbcp-109);
  }
  static W shift() { return kQuad ? 32 : kLong ? 16 : 12; }
  static W besselSwitch() { return kQuad ? 48 : kLong ? 28 : 22; }
  static W nan() {
    return static_cast<W>(std::numeric_limits<double>::quiet_NaN());
  }
  static W infinity() {
    return static_cast<W>(std::numeric_limits<double>::infinity());
  }
};

struct Fraction {
  int64_t numerator, denominator;
};

} // namespace

/// B_2, B_4, ... B_30.
static constexpr Fraction kBernoulli[] = {{1, 6},
                                          {-1, 30},
                                          {1, 42},
                                          {-1, 30},
                                          {5, 66},
                                          {-691, 2730},
                                          {7, 6},
                                          {-3617, 510},
                                          {43867, 798},
                                          {-174611, 330},
                                          {854513, 138},
                                          {-236364091, 2730},
                                          {8553103, 6},
                                          {-23749461029, 870},
                                          {8615841276005, 14322}};

template <typename W> static W ratio(Fraction f) {
  return static_cast<W>(f.numerator) / static_cast<W>(f.denominator);
}

/// cot(pi x) for x that is no integer.
template <typename W> static W cotPi(W x) {
  W rest = x - wide::round(x); // exact
  if (wide::abs(rest) == static_cast<W>(0.5))
    return 0;
  return 1 / wide::tan(Wide<W>::pi() * rest);
}

template <typename W> static W digammaOf(W x) {
  if (x != x || (x <= 0 && wide::floor(x) == x))
    return Wide<W>::nan();
  if (x < 0)
    return digammaOf<W>(1 - x) - Wide<W>::pi() * cotPi(x);
  if (x > static_cast<W>(0x1p200))
    return wide::log(x);
  W below = 0;
  for (; x < Wide<W>::shift(); x += 1)
    below += 1 / x;
  W inverseSquare = 1 / (x * x), sum = 0;
  for (int k = static_cast<int>(std::size(kBernoulli)); k >= 1; --k)
    sum = (sum + ratio<W>(kBernoulli[k - 1]) / static_cast<W>(2 * k)) *
          inverseSquare;
  return wide::log(x) - static_cast<W>(0.5) / x - sum - below;
}

// zeta(s, q) for s > 1, q > 0.
template <typename W> static W zetaPositive(W s, W q) {
  if (q > static_cast<W>(0x1p200))
    return wide::pow(q, 1 - s) / (s - 1);
  W sum = 0, a = q;
  for (; a < Wide<W>::shift() + s; a += 1) {
    W term = wide::pow(a, -s);
    sum += term;
    if (!(term >
          sum * Wide<W>::epsilon() / (1 + a))) // the rest of the series is
                                               // below a * term
      return sum;
  }
  W power = wide::pow(a, -s);
  sum += power * a / (s - 1) + power / 2;
  W factor = s * power / a, factorial = 2; // s (s+1) ... / a^(2k-1) and (2k)!
  for (int k = 1; k <= static_cast<int>(std::size(kBernoulli)); ++k) {
    sum += ratio<W>(kBernoulli[k - 1]) * factor / factorial;
    W n = static_cast<W>(2 * k);
    factor *= (s + n - 1) * (s + n) / (a * a);
    factorial *= (n + 1) * (n + 2);
  }
  return sum;
}

template <typename W> static W zetaOf(W s, W q) {
  if (s != s || q != q || s < 1)
    return Wide<W>::nan();
  if (s == 1)
    return Wide<W>::infinity();
  if (q > 0)
    return zetaPositive(s, q);
  if (s != wide::floor(s))
    return Wide<W>::nan();
  bool even = wide::floor(s / 2) * 2 == s;
  if (q == wide::floor(q))
    return even ? Wide<W>::infinity() : Wide<W>::nan();
  // The sum over all integers k of (q + k)^-s depends only on the fraction f of
  // q; its terms with k < 0 are a zeta at 1 - q.
  W f = q - wide::floor(q), mirror = even ? W(1) : W(-1);
  W all = zetaPositive<W>(s, f) + mirror * zetaPositive<W>(s, 1 - f);
  return all - mirror * zetaPositive<W>(s, 1 - q);
}

template <typename W> static W polygammaOf(W n, W x) {
  if (n == 0)
    return digammaOf(x);
  if (!(n > 0) || n != wide::floor(n))
    return Wide<W>::nan();
  W zeta = zetaOf<W>(n + 1, x);
  W size = wide::abs(zeta), result;
  if (n <= 25) {
    result = zeta;
    for (W k = 2; k <= n; k += 1)
      result *= k;
  } else {
    result = wide::exp(wide::lgamma(n + 1) + wide::log(size));
    result = zeta < 0 ? -result : result;
  }
  return wide::floor(n / 2) * 2 == n ? -result : result;
}

template <typename W> static W besselI1eOf(W x) {
  W size = wide::abs(x), result;
  if (x != x)
    return x;
  if (size <= Wide<W>::besselSwitch()) {
    W quarter = size * size / 4, term = 1, sum = 1;
    for (int k = 1; term > sum * Wide<W>::epsilon() / 4; ++k) {
      term *= quarter / (static_cast<W>(k) * static_cast<W>(k + 1));
      sum += term;
    }
    result = size / 2 * sum * wide::exp(-size);
  } else {
    W term = 1, sum = 1;
    for (int k = 1; wide::abs(term) > Wide<W>::epsilon() / 4 && k < 200; ++k) {
      auto odd = static_cast<W>(2 * k - 1);
      W next = term * (odd * odd - 4) / (8 * size * static_cast<W>(k));
      if (wide::abs(next) > wide::abs(term) && k > 1)
        break;
      term = next;
      sum += term;
    }
    result = sum / wide::sqrt(2 * Wide<W>::pi() * size);
  }
  return x < 0 ? -result : result;
}

/// An approximation within a few thousandths: inverts an elementary
/// approximation of erf.
static double erfInvGuess(double x, double complement) {
  if (x < 1e-3)
    return x * 0.886226925452758;
  double logarithm = std::log(complement * (1 + x));
  double half = 2 / (3.14159265358979 * 0.147) + logarithm / 2;
  return std::sqrt(std::sqrt(half * half - logarithm / 0.147) - half);
}

template <typename W> static W erfInvOf(W x) {
  W size = wide::abs(x);
  if (!(size < 1))
    return size == 1 ? (x < 0 ? -Wide<W>::infinity() : Wide<W>::infinity())
                     : Wide<W>::nan();
  if (size < static_cast<W>(0x1p-60))
    return x * wide::sqrt(Wide<W>::pi()) / 2;
  W complement = 1 - size; // exact for |x| >= 1/2, where it is used
  W y = static_cast<W>(
      erfInvGuess(static_cast<double>(size), static_cast<double>(complement)));
  W halfRootPi = wide::sqrt(Wide<W>::pi()) / 2;
  for (int i = 0; i < (Wide<W>::kQuad ? 4 : 3); ++i) {
    W miss = size > static_cast<W>(0.5) ? complement - wide::erfc(y)
                                        : wide::erf(y) - size;
    W step = miss * halfRootPi * wide::exp(y * y);
    y -= step / (1 + y * step);
  }
  return x < 0 ? -y : y;
}

namespace {

template <typename T>
using WideFor = std::conditional_t<
    std::is_same_v<T, float>, double,
    std::conditional_t<std::is_same_v<T, double>, long double, T>>;

struct Digamma {
  template <typename T> T operator()(T x) const {
    // Near the zero at 1.4616 the terms cancel, so more digits are used.
    if constexpr (std::is_same_v<T, double>)
      if (std::abs(x - 1.4616) < 0.1)
        return static_cast<double>(digammaOf<Quad>(x));
    return static_cast<T>(digammaOf<WideFor<T>>(x));
  }
};
struct Zeta {
  template <typename T> T operator()(T s, T q) const {
    return static_cast<T>(zetaOf<WideFor<T>>(s, q));
  }
};
struct Polygamma {
  template <typename T> T operator()(T n, T x) const {
    return static_cast<T>(polygammaOf<WideFor<T>>(n, x));
  }
};
struct BesselI1e {
  template <typename T> T operator()(T x) const {
    return static_cast<T>(besselI1eOf<WideFor<T>>(x));
  }
};
struct ErfInv {
  template <typename T> T operator()(T x) const {
    return static_cast<T>(erfInvOf<WideFor<T>>(x));
  }
};
struct Lgamma {
  template <typename T> T operator()(T x) const {
    return static_cast<T>(wide::lgamma(
        static_cast<std::conditional_t<std::is_same_v<T, float>, double, T>>(
            x)));
  }
};
struct Erf {
  template <typename T> T operator()(T x) const {
    return static_cast<T>(wide::erf(
        static_cast<std::conditional_t<std::is_same_v<T, float>, double, T>>(
            x)));
  }
};
struct Erfc {
  template <typename T> T operator()(T x) const {
    return static_cast<T>(wide::erfc(
        static_cast<std::conditional_t<std::is_same_v<T, float>, double, T>>(
            x)));
  }
};

} // namespace

namespace loops {

LoopChoice besselI1e(const LoopQuery &query) {
  return chooseMath<BesselI1e>(query, FloatLoopTypes{});
}
LoopChoice digamma(const LoopQuery &query) {
  return chooseMath<Digamma>(query, FloatLoopTypes{});
}
LoopChoice erf(const LoopQuery &query) {
  return chooseFast<Erf, fast::erf>(query, FloatLoopTypes{});
}
LoopChoice erfInv(const LoopQuery &query) {
  return chooseMath<ErfInv>(query, FloatLoopTypes{});
}
LoopChoice erfc(const LoopQuery &query) {
  return chooseFast<Erfc, fast::erfc>(query, FloatLoopTypes{});
}
LoopChoice lgamma(const LoopQuery &query) {
  return chooseMath<Lgamma>(query, FloatLoopTypes{});
}
LoopChoice polygamma(const LoopQuery &query) {
  return chooseMath<Polygamma, 2>(query, FloatLoopTypes{});
}
LoopChoice zeta(const LoopQuery &query) {
  return chooseMath<Zeta, 2>(query, FloatLoopTypes{});
}

} // namespace loops
} // namespace assay::reference
