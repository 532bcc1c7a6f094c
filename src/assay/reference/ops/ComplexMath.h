/// Complex functions of the reference, for parts of 32 and 64 bits.
/// complex<f32> is computed in double with C's complex library, complex<f64> in
/// binary128 with libquadmath's. Each is rounded once: branch cuts and special
/// values are those of C99 Annex G, and cancellation does not affect the
/// result's last place except where stated.
#pragma once

#include "assay/reference/ops/Loops.h"

namespace assay::reference {

/// (a + bi)(c + di) = (ac - bd) + (ad + bc)i from exact products. Infinities
/// give the result of that formula.
Complex64 complexMultiply(Complex64 a, Complex64 b);
Complex128 complexMultiply(Complex128 a, Complex128 b);
/// From exact products where the operands are finite and the divisor is not
/// zero; otherwise as Annex G defines it.
Complex64 complexDivide(Complex64 a, Complex64 b);
Complex128 complexDivide(Complex128 a, Complex128 b);
/// z / |z|; 0 for 0; NaN in both parts if either is NaN.
Complex64 complexSign(Complex64 a);
Complex128 complexSign(Complex128 a);
/// exp(b log a); 1 for b = 0, and 0 for a = 0 where the real part of b is
/// positive.
Complex64 complexPower(Complex64 a, Complex64 b);
Complex128 complexPower(Complex128 a, Complex128 b);

/// The functions of one argument (atan2 has two), by name.
enum class ComplexFunction {
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Cbrt,
  Cos,
  Cosh,
  Exp,
  Expm1,
  Log,
  Log1p,
  Logistic,
  Rsqrt,
  Sin,
  Sinh,
  Sqrt,
  Tan,
  Tanh,
};
Complex64 complexFunction(ComplexFunction function, Complex64 z);
Complex128 complexFunction(ComplexFunction function, Complex128 z);
/// -i log((x + iy) / sqrt(x^2 + y^2)).
Complex64 complexAtan2(Complex64 y, Complex64 x);
Complex128 complexAtan2(Complex128 y, Complex128 x);

/// The choice for a function from complex numbers to real ones.
template <typename Op, typename T> LoopChoice choosePart() {
  LoopChoice choice;
  using Part = typename T::value_type;
  choice.loop = loopOf<false, Op, Part, T>();
  choice.operands = {numerics::elementTypeOf<T>()};
  choice.result = numerics::elementTypeOf<Part>();
  return choice;
}

} // namespace assay::reference
