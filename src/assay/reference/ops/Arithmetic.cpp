// Arithmetic. Integers wrap modulo 2^bits. Dividing by zero gives all ones and
// a remainder equal to the dividend; dividing the most negative number by -1
// wraps. For i1, add is `or` and multiply is `and`. Floats are rounded once;
// maximum and minimum propagate NaN and order -0 below +0. Complex products and
// quotients are computed from exact partial products, so that cancellation
// loses no accuracy; complex numbers are ordered by real part, then imaginary
// part.
// Source: StableHLO spec (add ... subtract); integer division by zero, which it
// leaves open, follows XLA.
#include "assay/reference/ops/ComplexMath.h"
#include "assay/reference/ops/FastLoops.h"
#include "assay/reference/ops/FastMath.h"
#include "assay/reference/ops/QuadMath.h"

#include <cmath>

namespace assay::reference {

using ArithmeticOrBoolTypes = numerics::Concat<ArithmeticTypes, TypeList<Pred>>;

namespace {

// Integers are computed in an unsigned type of at least 32 bits, to avoid
// overflow and promotion to int.
template <typename T>
using UnsignedOf = std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>;
template <typename T> ASSAY_INLINE UnsignedOf<T> bitsOf(T x) {
  return static_cast<UnsignedOf<T>>(x);
}

struct Add {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(a || b);
    else if constexpr (kIsInteger<T>)
      return static_cast<T>(bitsOf(a) + bitsOf(b));
    else
      return a + b;
  }
};

struct Subtract {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(bitsOf(a) - bitsOf(b));
    else
      return a - b;
  }
};

struct Multiply {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(a && b);
    else if constexpr (kIsInteger<T>)
      return static_cast<T>(bitsOf(a) * bitsOf(b));
    else if constexpr (kIsComplex<T>)
      return complexMultiply(a, b);
    else
      return a * b;
  }
};

struct Divide {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>) {
      if (b == 0)
        return static_cast<T>(-1);
      if constexpr (std::is_signed_v<T>)
        if (b == -1)
          return static_cast<T>(bitsOf(T(0)) - bitsOf(a));
      return static_cast<T>(a / b);
    } else if constexpr (kIsComplex<T>) {
      return complexDivide(a, b);
    } else {
      return a / b;
    }
  }
};

struct Remainder {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>) {
      if (b == 0)
        return a;
      if constexpr (std::is_signed_v<T>)
        if (b == -1)
          return 0;
      return static_cast<T>(a % b);
    } else if constexpr (std::is_same_v<T, Quad>) {
      return fmodq(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};

template <typename T> ASSAY_INLINE bool lexicographicLess(T a, T b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}
template <typename T> ASSAY_INLINE bool hasNan(T a) {
  return a.real() != a.real() || a.imag() != a.imag();
}

struct Maximum {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>) {
      return Pred(a || b);
    } else if constexpr (kIsComplex<T>) {
      return hasNan(a) || (!hasNan(b) && lexicographicLess(b, a)) ? a : b;
    } else if constexpr (kIsInteger<T>) {
      return a > b ? a : b;
    } else {
      T larger = a > b ? a : b;
      T sum = a + b; // NaN if either is NaN; +0 unless both are -0
      return (a != a) | (b != b) | ((a == 0) & (b == 0)) ? sum : larger;
    }
  }
};

struct Minimum {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>) {
      return Pred(a && b);
    } else if constexpr (kIsComplex<T>) {
      return hasNan(a) || (!hasNan(b) && lexicographicLess(a, b)) ? a : b;
    } else if constexpr (kIsInteger<T>) {
      return a < b ? a : b;
    } else {
      T smaller = a < b ? a : b;
      T sum = -(-a - b); // NaN if either is NaN; -0 unless both are +0
      return (a != a) | (b != b) | ((a == 0) & (b == 0)) ? sum : smaller;
    }
  }
};

struct Clamp {
  template <typename T> ASSAY_INLINE T operator()(T low, T x, T high) const {
    return Minimum()(Maximum()(x, low), high);
  }
};

struct Negate {
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    if constexpr (kIsInteger<T>)
      return static_cast<T>(bitsOf(T(0)) - bitsOf(a));
    else
      return -a;
  }
};

struct Abs {
  template <typename T> ASSAY_INLINE auto operator()(T a) const {
    if constexpr (std::is_unsigned_v<T>)
      return a;
    else if constexpr (kIsInteger<T>)
      return a < 0 ? Negate()(a) : a;
    else if constexpr (std::is_same_v<T, Complex64>)
      return static_cast<float>(std::hypot(static_cast<double>(a.real()),
                                           static_cast<double>(a.imag())));
    else if constexpr (std::is_same_v<T, Complex128>)
      return std::hypot(a.real(), a.imag());
    else if constexpr (std::is_same_v<T, Quad>)
      return copysignq(a, 0);
    else
      return std::abs(a);
  }
};

struct Sign {
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    if constexpr (std::is_unsigned_v<T>)
      return a > 0;
    else if constexpr (kIsInteger<T>)
      return static_cast<T>((a > 0) - (a < 0));
    else if constexpr (kIsComplex<T>)
      return complexSign(a);
    else
      return a > 0 ? T(1) : a < 0 ? T(-1) : a; // keeps zeros and NaN
  }
};

struct Square {
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    return Multiply()(a, a);
  }
};

struct Power {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>)
      return integerPower(a, b);
    else if constexpr (kIsComplex<T>)
      return complexPower(a, b);
    else if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(
          std::pow(static_cast<double>(a), static_cast<double>(b)));
    else if constexpr (std::is_same_v<T, double>)
      return std::pow(a, b);
    else
      return powq(a, b);
  }

private:
  // For a negative exponent: 1 / a^|b| truncated, so 0 unless a is 1 or -1 (0 to
  // a negative power is also 0).
  template <typename T> static T integerPower(T base, T exponent) {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0)
        return base == 1 ? T(1) : base == -1 ? T(exponent & 1 ? -1 : 1) : T(0);
    UnsignedOf<T> result = 1, square = bitsOf(base);
    for (auto rest = static_cast<std::make_unsigned_t<T>>(exponent); rest != 0;
         rest >>= 1) {
      if (rest & 1)
        result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
};

/// The upper half of the product.
struct MulHi {
  int32_t bits;
  explicit MulHi(const ElementwiseArgs &args) : bits(args.bits) {}
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    __extension__ typedef __int128 Int128;
    __extension__ typedef unsigned __int128 UInt128;
    using Small = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    using Large = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
    using Wide = std::conditional_t<(sizeof(T) < 8), Small, Large>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >>
                          bits);
  }
};

} // namespace

namespace loops {

LoopChoice add(const LoopQuery &query) {
  return chooseSame<Add>(query, ArithmeticOrBoolTypes{});
}
LoopChoice subtract(const LoopQuery &query) {
  return chooseSame<Subtract>(query, ArithmeticTypes{});
}
LoopChoice multiply(const LoopQuery &query) {
  return chooseSame<Multiply>(query, ArithmeticOrBoolTypes{});
}
LoopChoice divide(const LoopQuery &query) {
  return chooseSame<Divide>(query, ArithmeticTypes{});
}
LoopChoice remainder(const LoopQuery &query) {
  return chooseSame<Remainder>(query, OrderedLoopTypes{});
}
LoopChoice maximum(const LoopQuery &query) {
  return chooseSame<Maximum>(query, ArithmeticOrBoolTypes{});
}
LoopChoice minimum(const LoopQuery &query) {
  return chooseSame<Minimum>(query, ArithmeticOrBoolTypes{});
}
LoopChoice negate(const LoopQuery &query) {
  return chooseSame<Negate, 1>(query, ArithmeticTypes{});
}
LoopChoice square(const LoopQuery &query) {
  return chooseSame<Square, 1>(query, ArithmeticTypes{});
}
LoopChoice sign(const LoopQuery &query) {
  return chooseSame<Sign, 1>(query, ArithmeticTypes{});
}
LoopChoice clamp(const LoopQuery &query) {
  return chooseSame<Clamp, 3>(query, ArithmeticOrBoolTypes{});
}
LoopChoice mulhi(const LoopQuery &query) {
  return chooseSame<MulHi>(query, IntegerLoopTypes{});
}

LoopChoice power(const LoopQuery &query) {
  if (query.result.isInteger())
    return chooseSame<Power>(query, IntegerLoopTypes{});
  return chooseFast<Power, fast::pow, 2>(query);
}

LoopChoice abs(const LoopQuery &query) {
  if (isType<Complex64>(query.operands[0]))
    return choosePart<Abs, Complex64>();
  if (isType<Complex128>(query.operands[0]))
    return choosePart<Abs, Complex128>();
  return chooseSame<Abs, 1>(query, OrderedLoopTypes{});
}

} // namespace loops
} // namespace assay::reference
