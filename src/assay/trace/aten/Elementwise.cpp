// Elementwise aten operators. Floats arrive in f64 (Builder::tensor).
#include "assay/judge/program/CommonForms.h"
#include "assay/formulas/Activations.h"
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

// One argument, one StableHLO (or CHLO) operation; integers become f64 first.
#define UNARY(NAME, OP)                                                        \
  void NAME(Builder &b) { b.result(b.unary(OP, b.wide(b.tensor(0)))); }
UNARY(exp, "exponential")
UNARY(expm1, "exponential_minus_one")
UNARY(log, "log")
UNARY(log1p, "log_plus_one")
UNARY(sqrt, "sqrt")
UNARY(sin, "sine")
UNARY(cos, "cosine")
UNARY(tan, "chlo.tan")
UNARY(sinh, "chlo.sinh")
UNARY(cosh, "chlo.cosh")
UNARY(tanh, "tanh")
UNARY(asin, "chlo.asin")
UNARY(acos, "chlo.acos")
UNARY(atan, "chlo.atan")
UNARY(sigmoid, "logistic")
UNARY(lgamma, "chlo.lgamma")
UNARY(acosh, "chlo.acosh")
UNARY(asinh, "chlo.asinh")
UNARY(atanh, "chlo.atanh")
UNARY(erfinv, "chlo.erf_inv")
UNARY(besselI1e, "chlo.bessel_i1e")
#undef UNARY

/// At 0 it is infinite, with the sign opposite to that of 0.
static void digammaOf(Builder &b, const Value &x) {
  Value zero = b.scalar(0);
  Value pole = b.div(b.scalar(-1), x);
  b.result(
      b.select(b.compare("EQ", x, zero), pole, b.unary("chlo.digamma", x)));
}
void digamma(Builder &b) { digammaOf(b, b.wide(b.tensor(0))); }

/// zeta(s, q), which PyTorch returns as +inf at all of its poles.
static Value zetaOf(Builder &b, const Value &s, const Value &q) {
  Value atPole = b.binary("and", b.compare("LE", q, b.scalar(0)),
                          b.compare("EQ", q, b.unary("floor", q)));
  Value isPole = b.binary("and", atPole, b.compare("GT", s, b.scalar(1)));
  return b.select(isPole, b.scalar(INFINITY), b.binary("chlo.zeta", s, q));
}

// (n, x): of order 0 digamma, which has a sign at 0; n! zeta(n + 1, x) with the
// sign of (-1)^(n+1) else
void polygamma(Builder &b) {
  int64_t n = b.integer(0, "n", 0);
  Value x = b.wide(b.tensor(1));
  if (n == 0)
    return digammaOf(b, x);
  double factor = (n % 2 ? 1 : -1) * std::tgamma(n + 1.0);
  b.result(b.mul(b.scalar(factor), zetaOf(b, b.scalar(n + 1.0), x)));
}

void zeta(Builder &b) {
  b.result(zetaOf(b, b.wide(b.tensor(0)), b.wide(b.tensor(1))));
}

/// erf and erfc: with the accuracy of libraries, which is absolute, by a
/// polynomial (Abramowitz and Stegun 7.1.26 with exp in f32).
static void errorFunction(Builder &b, llvm::StringRef op) {
  constexpr judge::Accuracy kPolynomial{4, 0x1p-21};
  b.result(judge::withAccuracy(b.unary(op, b.wide(b.tensor(0))), kPolynomial));
}
void erf(Builder &b) { errorFunction(b, "chlo.erf"); }
void erfc(Builder &b) { errorFunction(b, "chlo.erfc"); }

// The same for operators that leave integers unconverted.
#define UNARY(NAME, OP)                                                        \
  void NAME(Builder &b) { b.result(b.unary(OP, b.tensor(0))); }
UNARY(neg, "negate")
UNARY(abs, "abs")
UNARY(bitwiseNot, "not")
#undef UNARY

void sign(Builder &b) { // 0 for a NaN
  Value x = b.tensor(0), zero = b.zeroLike(x);
  if (x.isBool())
    return b.result(x);
  Value signs = b.unary("sign", x);
  b.result(x.isFloat() ? b.select(b.compare("NE", x, x), zero, signs) : signs);
}

// Rounding does not change integers.
static void rounding(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0);
  b.result(x.isFloat() ? b.unary(op, x) : x);
}
void floor(Builder &b) { rounding(b, "floor"); }
void ceil(Builder &b) { rounding(b, "ceil"); }
void round(Builder &b) { rounding(b, "round_nearest_even"); }

static Value truncated(Builder &b, const Value &x) {
  return b.mul(b.unary("sign", x), b.unary("floor", b.unary("abs", x)));
}
void trunc(Builder &b) {
  Value x = b.tensor(0);
  b.result(x.isFloat() ? truncated(b, x) : x);
}

void log2(Builder &b) {
  b.result(b.div(b.unary("log", b.wide(b.tensor(0))), b.scalar(M_LN2)));
}
void log10(Builder &b) {
  b.result(b.div(b.unary("log", b.wide(b.tensor(0))), b.scalar(M_LN10)));
}
void exp2(Builder &b) {
  b.result(b.binary("power", b.scalar(2), b.wide(b.tensor(0))));
}
void reciprocal(Builder &b) {
  b.result(b.div(b.scalar(1), b.wide(b.tensor(0))));
}
void isnan(Builder &b) {
  Value x = b.wide(b.tensor(0));
  b.result(b.compare("NE", x, x));
}
void isinf(Builder &b) {
  b.result(
      b.compare("EQ", b.unary("abs", b.wide(b.tensor(0))), b.scalar(INFINITY)));
}
static Value truth(Builder &b, const Value &x) {
  return x.isBool() ? x : b.compare("NE", x, b.constant(0));
}
void logicalNot(Builder &b) { b.result(b.unary("not", truth(b, b.tensor(0)))); }
void logicalAnd(Builder &b) {
  b.result(b.binary("and", truth(b, b.tensor(0)), truth(b, b.tensor(1))));
}
void logicalOr(Builder &b) {
  b.result(b.binary("or", truth(b, b.tensor(0)), truth(b, b.tensor(1))));
}
void logicalXor(Builder &b) {
  b.result(b.binary("xor", truth(b, b.tensor(0)), truth(b, b.tensor(1))));
}
void bitwiseAnd(Builder &b) {
  b.result(b.binary("and", b.tensor(0), b.tensor(1)));
}
void bitwiseOr(Builder &b) {
  b.result(b.binary("or", b.tensor(0), b.tensor(1)));
}
void bitwiseXor(Builder &b) {
  b.result(b.binary("xor", b.tensor(0), b.tensor(1)));
}

// A shift by more than the number of bits yields 0, or the sign.
static void shifted(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0), y = b.tensor(1);
  b.result(b.binary(op, b.convert(x, i64()), b.convert(y, i64())));
}
void shiftLeft(Builder &b) { shifted(b, "shift_left"); }
void shiftRight(Builder &b) { shifted(b, "shift_right_arithmetic"); }

// a + alpha * b; for two booleans, `or`.
static void sum(Builder &b, bool minus, bool reversed) {
  Value x = b.operand(reversed ? 1 : 0), y = b.operand(reversed ? 0 : 1);
  double alpha = b.number(2, "alpha", 1);
  if (x.isBool() && y.isBool())
    return minus ? b.refuse("booleans are not subtracted")
                 : b.result(alpha == 0 ? x : b.binary("or", x, y));
  if (alpha != 1)
    y = b.mul(y, b.numberLike(alpha, y));
  b.result(b.binary(minus ? "subtract" : "add", x, y));
}
void add(Builder &b) { sum(b, false, false); }
void sub(Builder &b) { sum(b, true, false); }
void rsub(Builder &b) { sum(b, true, true); }
void mul(Builder &b) {
  Value x = b.tensor(0), y = b.tensor(1);
  b.result(b.binary(x.isBool() && y.isBool() ? "and" : "multiply", x, y));
}

void div(Builder &b) {
  Value x = b.tensor(0), y = b.tensor(1);
  std::string mode = b.text(2, "rounding_mode", "");
  bool whole = !x.isFloat() && !y.isFloat();
  if (mode.empty())
    return b.result(b.div(b.wide(x), b.wide(y)));
  if (whole && mode == "trunc")
    return b.result(b.div(x, y));
  if (whole) { // floor: one less where the remainder has the other sign
    Value quotient = b.div(x, y), rest = b.binary("remainder", x, y);
    Value other = b.binary("xor", b.compare("LT", rest, b.constant(0)),
                           b.compare("LT", y, b.constant(0)));
    Value adjust = b.binary("and", other, b.compare("NE", rest, b.constant(0)));
    return b.result(b.sub(quotient, b.convert(adjust, i64())));
  }
  Value quotient = b.div(x, y);
  b.result(mode == "floor" ? b.unary("floor", quotient)
                           : truncated(b, quotient));
}
void floorDivide(Builder &b) {
  if (b.tensor(0).isFloat() || b.tensor(1).isFloat())
    return b.result(b.unary("floor", b.div(b.tensor(0), b.tensor(1))));
  b.refuse("whole numbers");
}

/// In 16 bits computed like PyTorch's kernel for CPUs: from the root, which is
/// rounded.
void rsqrt(Builder &b) {
  Value x = b.wide(b.tensor(0));
  b.result(b.output().element.bits < 32
               ? b.div(b.scalar(1), b.rounded(b.unary("sqrt", x)))
               : b.unary("rsqrt", x));
}

void power(Builder &b) {
  Value x = b.operand(0), y = b.operand(1);
  // A cube is two products, the first of which is rounded in 16 bits.
  if (b.output().element.isFloat() && b.output().element.bits < 32 &&
      b.number(1, "exponent", 0) == 3) {
    x = b.wide(x);
    return b.result(b.mul(x, b.rounded(b.mul(x, x))));
  }
  if (!b.output().element.isFloat())
    return b.result(b.binary("power", x, y));
  b.result(b.binary("power", b.wide(x), b.wide(y)));
}
void maximum(Builder &b) {
  b.result(b.binary("maximum", b.tensor(0), b.tensor(1)));
}
void minimum(Builder &b) {
  b.result(b.binary("minimum", b.tensor(0), b.tensor(1)));
}
void atan2(Builder &b) {
  b.result(b.binary("atan2", b.wide(b.tensor(0)), b.wide(b.tensor(1))));
}
/// The bit of the sign, of NaN and of -0 too.
static Value negative(Builder &b, const Value &x) {
  if (!x.isFloat())
    return b.compare("LT", x, b.zeroLike(x));
  TensorType bits{ElementType::integer(x.type.element.bits), x.shape()};
  Value word = b.ir().op("bitcast_convert", {x}, bits);
  return b.ir().compare("LT", word, b.ir().constant(0, bits));
}
void signbit(Builder &b) {
  Value x = b.recorded(0);
  b.result(x.isBool() ? b.compare("NE", x, x) : negative(b, x));
}
void copysign(Builder &b) {
  Value magnitude = b.unary("abs", b.wide(b.tensor(0))), y = b.tensor(1);
  b.result(b.select(negative(b, b.wide(y)), b.unary("negate", magnitude),
                    magnitude));
}
// If one operand is NaN, the result is the other one.
static void extreme(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0), y = b.tensor(1), both = b.binary(op, x, y);
  if (both.isFloat())
    both = b.select(b.compare("NE", x, x), y,
                    b.select(b.compare("NE", y, y), x, both));
  b.result(both);
}
void fmax(Builder &b) { extreme(b, "maximum"); }
void fmin(Builder &b) { extreme(b, "minimum"); }
void hypot(Builder &b) { // scaled by the larger operand: no square overflows
  Value x = b.unary("abs", b.wide(b.tensor(0))),
        y = b.unary("abs", b.wide(b.tensor(1)));
  Value large = b.binary("maximum", x, y), small = b.binary("minimum", x, y);
  Value ratio = b.div(small, large), one = b.scalar(1);
  Value length = b.mul(large, b.unary("sqrt", b.add(one, b.mul(ratio, ratio))));
  Value endless = b.scalar(INFINITY); // even beside a NaN, by IEEE 754
  Value edge = b.binary("or", b.compare("EQ", x, endless),
                        b.compare("EQ", y, endless));
  length = b.select(b.compare("EQ", large, b.scalar(0)), large, length);
  b.result(b.select(edge, endless, length));
}
void nextafter(Builder &b) {
  Value x = b.recorded(0), y = b.recorded(1);
  if (x.shape() != y.shape() || x.type.element != y.type.element)
    return b.refuse("operands of unlike types or shapes");
  b.result(b.ir().op("chlo.next_after", {x, y}, x.type));
}
void fmod(Builder &b) {
  b.result(b.binary("remainder", b.tensor(0), b.tensor(1)));
}
void remainder(Builder &b) { // with the sign of the divisor
  Value x = b.tensor(0), y = b.tensor(1), rest = b.binary("remainder", x, y),
        zero = b.constant(0);
  Value other =
      b.binary("xor", b.compare("LT", rest, zero), b.compare("LT", y, zero));
  b.result(b.select(b.binary("and", other, b.compare("NE", rest, zero)),
                    b.add(rest, y), rest));
}

#define COMPARE(NAME, DIRECTION)                                               \
  void NAME(Builder &b) {                                                      \
    b.result(b.compare(DIRECTION, b.tensor(0), b.tensor(1)));                  \
  }
COMPARE(eq, "EQ")
COMPARE(ne, "NE")
COMPARE(lt, "LT")
COMPARE(le, "LE")
COMPARE(gt, "GT")
COMPARE(ge, "GE")
#undef COMPARE

void where(Builder &b) {
  b.result(b.select(b.tensor(0), b.tensor(1), b.tensor(2)));
}
void maskedFill(Builder &b) {
  b.result(b.select(b.tensor(1), b.tensor(2), b.tensor(0)));
}
void addcmul(Builder &b) {
  Value product = b.mul(b.tensor(1), b.tensor(2));
  b.result(
      b.add(b.tensor(0), b.mul(product, b.scalar(b.number(3, "value", 1)))));
}
void addcdiv(Builder &b) {
  Value quotient = b.div(b.wide(b.tensor(1)), b.wide(b.tensor(2)));
  b.result(
      b.add(b.tensor(0), b.mul(quotient, b.scalar(b.number(3, "value", 1)))));
}
void lerp(Builder &b) {
  Value x = b.tensor(0);
  Value mean = b.add(x, b.mul(b.tensor(2), b.sub(b.tensor(1), x)));
  judge::withScaledTerms(mean.handle);
  b.result(mean);
}

static Value bounded(Builder &b, Value x, bool low, bool high) {
  if (low)
    x = b.binary("maximum", x, b.tensor(1, "min"));
  if (high)
    x = b.binary("minimum", x, b.tensor(2, "max"));
  return x;
}
static bool given(Builder &b, size_t i, llvm::StringRef name) {
  const llvm::json::Value *value = b.argument(i, name);
  return value && value->kind() != llvm::json::Value::Null;
}
void clamp(Builder &b) {
  b.result(bounded(b, b.tensor(0), given(b, 1, "min"), given(b, 2, "max")));
}
void clampMin(Builder &b) {
  b.result(b.binary("maximum", b.tensor(0), b.tensor(1)));
}
void clampMax(Builder &b) {
  b.result(b.binary("minimum", b.tensor(0), b.tensor(1)));
}
void hardtanh(Builder &b) {
  Value low =
      b.binary("maximum", b.tensor(0), b.scalar(b.number(1, "min_val", -1)));
  b.result(b.binary("minimum", low, b.scalar(b.number(2, "max_val", 1))));
}

void relu(Builder &b) {
  Value x = b.tensor(0);
  b.result(b.binary("maximum", x, b.numberLike(0, x)));
}
void leakyRelu(Builder &b) {
  Value x = b.tensor(0), slope = b.scalar(b.number(1, "negative_slope", 0.01));
  b.result(formulas::leaky(b.rules(), x, slope));
}
void prelu(Builder &b) {
  Value x = b.tensor(0);
  b.result(formulas::leaky(b.rules(), x, b.tensor(1)));
}
void elu(Builder &b) {
  Value x = b.tensor(0), scale = b.scalar(b.number(2, "scale", 1)),
        inner = b.scalar(b.number(3, "input_scale", 1));
  Value bent = b.unary("exponential_minus_one", b.mul(x, inner));
  bent = b.mul(bent, b.scalar(b.number(1, "alpha", 1)));
  b.result(b.mul(b.select(b.compare("GT", x, b.scalar(0)), x, bent), scale));
}
void silu(Builder &b) {
  Value x = b.tensor(0);
  b.result(formulas::gated(b.rules(), x, x));
}
void gelu(Builder &b) {
  b.result(b.gelu(b.tensor(0), b.text(1, "approximate", "none") != "none"));
}
void softplus(Builder &b) {
  Value x = b.tensor(0), beta = b.scalar(b.number(1, "beta", 1)),
        scaled = b.mul(x, beta);
  Value bent = b.div(formulas::softPlus(b.rules(), scaled), beta);
  b.result(
      b.select(b.compare("GT", scaled, b.scalar(b.number(2, "threshold", 20))),
               x, bent));
}
void mish(Builder &b) {
  b.result(formulas::mish(b.rules(), b.tensor(0)));
}
static Value hardGate(Builder &b, const Value &x) { // min(max(x + 3, 0), 6) / 6
  Value shifted = b.binary("maximum", b.add(x, b.scalar(3)), b.scalar(0));
  return b.div(b.binary("minimum", shifted, b.scalar(6)), b.scalar(6));
}
void hardsigmoid(Builder &b) { b.result(hardGate(b, b.tensor(0))); }
void hardswish(Builder &b) {
  b.result(b.mul(b.tensor(0), hardGate(b, b.tensor(0))));
}

} // namespace assay::trace::aten
