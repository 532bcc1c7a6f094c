// Complex functions, see ComplexMath.h. One implementation serves both widths:
// a traits class provides the wide part type and the C library's functions for
// it (double's for complex<f32>, binary128's for complex<f64>).
//
//   exp(z) - 1   (expm1(x) cos y - 2 sin^2(y/2)) + i e^x sin y
//                (no cancellation at small z)
//   log(1 + z)   log1p(2x + x^2 + y^2) / 2 + i atan2(y, 1 + x)
//                (the sum in twice the precision)
//   logistic     1 / (1 + exp(-z)), or exp(z) / (1 + exp(z)) where the real
//                part is negative
// Source: C99 Annex G; StableHLO spec; the identities are elementary.
#include "assay/reference/ops/ComplexMath.h"
#include "assay/reference/ops/QuadMath.h"

#include <cmath>

namespace assay::reference {

namespace {

template <typename Part, typename ComplexC>
ComplexC makeComplex(Part re, Part im) {
  ComplexC z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

struct DoubleMath {
  using Part = double;
  __extension__ typedef _Complex double C;
  static Part expm1(Part x) { return std::expm1(x); }
  static Part exp(Part x) { return std::exp(x); }
  static Part log1p(Part x) { return std::log1p(x); }
  static Part sin(Part x) { return std::sin(x); }
  static Part cos(Part x) { return std::cos(x); }
  static Part atan2(Part y, Part x) { return std::atan2(y, x); }
  static Part hypot(Part x, Part y) { return std::hypot(x, y); }
  static C cacos(C z) { return __builtin_cacos(z); }
  static C cacosh(C z) { return __builtin_cacosh(z); }
  static C casin(C z) { return __builtin_casin(z); }
  static C casinh(C z) { return __builtin_casinh(z); }
  static C catan(C z) { return __builtin_catan(z); }
  static C catanh(C z) { return __builtin_catanh(z); }
  static C ccos(C z) { return __builtin_ccos(z); }
  static C ccosh(C z) { return __builtin_ccosh(z); }
  static C cexp(C z) { return __builtin_cexp(z); }
  static C clog(C z) { return __builtin_clog(z); }
  static C csin(C z) { return __builtin_csin(z); }
  static C csinh(C z) { return __builtin_csinh(z); }
  static C csqrt(C z) { return __builtin_csqrt(z); }
  static C ctan(C z) { return __builtin_ctan(z); }
  static C ctanh(C z) { return __builtin_ctanh(z); }
};

struct QuadMath {
  using Part = Quad;
  using C = ComplexQuad;
  static Part expm1(Part x) { return expm1q(x); }
  static Part exp(Part x) { return expq(x); }
  static Part log1p(Part x) { return log1pq(x); }
  static Part sin(Part x) { return sinq(x); }
  static Part cos(Part x) { return cosq(x); }
  static Part atan2(Part y, Part x) { return atan2q(y, x); }
  static Part hypot(Part x, Part y) { return hypotq(x, y); }
  static C cacos(C z) { return cacosq(z); }
  static C cacosh(C z) { return cacoshq(z); }
  static C casin(C z) { return casinq(z); }
  static C casinh(C z) { return casinhq(z); }
  static C catan(C z) { return catanq(z); }
  static C catanh(C z) { return catanhq(z); }
  static C ccos(C z) { return ccosq(z); }
  static C ccosh(C z) { return ccoshq(z); }
  static C cexp(C z) { return cexpq(z); }
  static C clog(C z) { return clogq(z); }
  static C csin(C z) { return csinq(z); }
  static C csinh(C z) { return csinhq(z); }
  static C csqrt(C z) { return csqrtq(z); }
  static C ctan(C z) { return ctanq(z); }
  static C ctanh(C z) { return ctanhq(z); }
};

template <typename T> struct WideMath;
template <> struct WideMath<Complex64> : DoubleMath {};
template <> struct WideMath<Complex128> : QuadMath {};

/// The algorithms for parts of type T, in its wide type.
template <typename T> struct Algorithms {
  using M = WideMath<T>;
  using W = typename M::Part;
  using C = typename M::C;
  using Part = typename T::value_type;

  static C make(W re, W im) { return makeComplex<W, C>(re, im); }
  static C widen(T z) { return make(z.real(), z.imag()); }
  static T narrow(C z) {
    return T(static_cast<Part>(__real__ z), static_cast<Part>(__imag__ z));
  }
  static bool isFinite(W x) { return x - x == 0; }
  static bool isNan(W x) { return x != x; }

  static T multiply(T a, T b) {
    W ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
    return T(static_cast<Part>(ar * br - ai * bi),
             static_cast<Part>(ar * bi + ai * br));
  }

  static T divide(T a, T b) {
    W ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
    W norm = br * br + bi * bi;
    if (isFinite(ar) && isFinite(ai) && isFinite(norm) && norm != 0)
      return T(static_cast<Part>((ar * br + ai * bi) / norm),
               static_cast<Part>((ai * br - ar * bi) / norm));
    return narrow(widen(a) / widen(b));
  }

  static T sign(T z) {
    W re = z.real(), im = z.imag();
    if (isNan(re) || isNan(im))
      return T(numerics::quietNan<Part>(), numerics::quietNan<Part>());
    if (re == 0 && im == 0)
      return T(0, 0);
    W length = M::hypot(re, im);
    return T(static_cast<Part>(re / length), static_cast<Part>(im / length));
  }

  static T power(T a, T b) {
    if (b.real() == 0 && b.imag() == 0)
      return T(1, 0);
    if (a.real() == 0 && a.imag() == 0 && b.real() > 0 && isFinite(b.imag()))
      return T(0, 0);
    return narrow(M::cexp(widen(b) * M::clog(widen(a))));
  }

  // x^2 + y^2 + 2x in twice the precision of W; the squares are exact in W (its
  // precision is at least twice Part's).
  static W normMinusOne(W x, W y) {
    W squareX = x * x, squareY = y * y, twice = 2 * x;
    auto twoSum = [](W a, W b, W &low) {
      W sum = a + b, other = sum - a;
      low = (a - (sum - other)) + (b - other);
      return sum;
    };
    W low1, low2;
    W first = twoSum(squareX, squareY, low1);
    W sum = twoSum(first, twice, low2);
    return isFinite(sum) ? sum + (low1 + low2) : sum;
  }

  static C log1p(C z) {
    W x = __real__ z, y = __imag__ z;
    W size = M::hypot(x, y);
    if (!(size < W(0x1p100)))
      return M::clog(make(1 + x, y));
    if (x == -1 && y == 0)
      return make(-std::numeric_limits<double>::infinity(), y);
    return make(M::log1p(normMinusOne(x, y)) / 2, M::atan2(y, 1 + x));
  }

  // C's cexp(-inf + i inf) is 0 and cexp(inf + i inf) is inf + i NaN; XLA and
  // upstream's tests expect NaN wherever the angle is infinite.
  static C exp(C z) {
    W y = __imag__ z;
    if (!isNan(y) && !isFinite(y))
      return make(y - y, y - y);
    return M::cexp(z);
  }

  static C expm1(C z) {
    W x = __real__ z, y = __imag__ z;
    if (!isFinite(x) || !isFinite(y)) {
      C e = M::cexp(z);
      return make(__real__ e - 1, __imag__ e);
    }
    if (y == 0)
      return make(M::expm1(x), y);
    W half = M::sin(y / 2);
    return make(M::expm1(x) * M::cos(y) - 2 * half * half,
                M::exp(x) * M::sin(y));
  }

  static C logistic(C z) {
    W x = __real__ z, y = __imag__ z;
    C e = M::cexp(x < 0 ? z : make(-x, -y));
    C denominator = make(1 + __real__ e, __imag__ e);
    return (x < 0 ? e : make(1, 0)) / denominator;
  }

  static C cbrt(C z) {
    W x = __real__ z, y = __imag__ z;
    if (x == 0 && y == 0)
      return z;
    C logarithm = M::clog(z);
    return M::cexp(make(__real__ logarithm / 3, __imag__ logarithm / 3));
  }

  static C apply(ComplexFunction function, C z) {
    switch (function) {
    case ComplexFunction::Acos:
      return M::cacos(z);
    case ComplexFunction::Acosh:
      return M::cacosh(z);
    case ComplexFunction::Asin:
      return M::casin(z);
    case ComplexFunction::Asinh:
      return M::casinh(z);
    case ComplexFunction::Atan:
      return M::catan(z);
    case ComplexFunction::Atanh:
      return M::catanh(z);
    case ComplexFunction::Cbrt:
      return cbrt(z);
    case ComplexFunction::Cos:
      return M::ccos(z);
    case ComplexFunction::Cosh:
      return M::ccosh(z);
    case ComplexFunction::Exp:
      return exp(z);
    case ComplexFunction::Expm1:
      return expm1(z);
    case ComplexFunction::Log:
      return M::clog(z);
    case ComplexFunction::Log1p:
      return log1p(z);
    case ComplexFunction::Logistic:
      return logistic(z);
    case ComplexFunction::Rsqrt:
      return make(1, 0) / M::csqrt(z);
    case ComplexFunction::Sin:
      return M::csin(z);
    case ComplexFunction::Sinh:
      return M::csinh(z);
    case ComplexFunction::Sqrt:
      return M::csqrt(z);
    case ComplexFunction::Tan:
      return M::ctan(z);
    case ComplexFunction::Tanh:
      return M::ctanh(z);
    }
    return z;
  }

  static T atan2(T y, T x) {
    C wideX = widen(x), wideY = widen(y);
    C rotated = make(__real__ wideX - __imag__ wideY,
                     __imag__ wideX + __real__ wideY); // x + iy
    C length = M::csqrt(wideX * wideX + wideY * wideY);
    C logarithm = M::clog(rotated / length);
    return narrow(make(__imag__ logarithm, -__real__ logarithm));
  }
};

} // namespace

Complex64 complexMultiply(Complex64 a, Complex64 b) {
  return Algorithms<Complex64>::multiply(a, b);
}
Complex128 complexMultiply(Complex128 a, Complex128 b) {
  return Algorithms<Complex128>::multiply(a, b);
}
Complex64 complexDivide(Complex64 a, Complex64 b) {
  return Algorithms<Complex64>::divide(a, b);
}
Complex128 complexDivide(Complex128 a, Complex128 b) {
  return Algorithms<Complex128>::divide(a, b);
}
Complex64 complexSign(Complex64 a) { return Algorithms<Complex64>::sign(a); }
Complex128 complexSign(Complex128 a) { return Algorithms<Complex128>::sign(a); }
Complex64 complexPower(Complex64 a, Complex64 b) {
  return Algorithms<Complex64>::power(a, b);
}
Complex128 complexPower(Complex128 a, Complex128 b) {
  return Algorithms<Complex128>::power(a, b);
}
Complex64 complexAtan2(Complex64 y, Complex64 x) {
  return Algorithms<Complex64>::atan2(y, x);
}
Complex128 complexAtan2(Complex128 y, Complex128 x) {
  return Algorithms<Complex128>::atan2(y, x);
}

Complex64 complexFunction(ComplexFunction function, Complex64 z) {
  using A = Algorithms<Complex64>;
  return A::narrow(A::apply(function, A::widen(z)));
}
Complex128 complexFunction(ComplexFunction function, Complex128 z) {
  using A = Algorithms<Complex128>;
  return A::narrow(A::apply(function, A::widen(z)));
}

} // namespace assay::reference
