// What every elementwise operation does to elements. Real numbers one by one;
// complex numbers as pairs. The value decides; a value that is not finite,
// or was made from one, is its own element.
#include "assay/judge/equivalence/Algebra.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/reference/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::FloatFormat;

namespace assay::judge {
enum class Rule : uint8_t {
  None,
  Add,
  Subtract,
  Multiply,
  Divide,
  Negate,
  Square,
  Choice, ///< max, min, select, clamp: one of the operands
  Abs,
  FromValue, ///< rounding, sign: the value is the number
  Remainder,
  Convert,
  ReducePrecision,
  Exp,
  Expm1,
  Log,
  Log1p,
  Logistic,
  Tanh,
  Sinh,
  Cosh,
  Sqrt,
  Rsqrt,
  Cbrt,
  Power,
  Tan,
  Erfc,
  Odd,
  Even,
  Own, ///< a function without laws
  Complex,
  Real,
  Imag,
  Conj
};
} // namespace assay::judge

static Rule ruleOf(llvm::StringRef name) {
  llvm::StringRef bare = name.split('.').second;
  if (name.starts_with("chlo."))
    bare.consume_front("broadcast_");
  return llvm::StringSwitch<Rule>(bare)
      .Case("add", Rule::Add)
      .Case("subtract", Rule::Subtract)
      .Case("multiply", Rule::Multiply)
      .Case("divide", Rule::Divide)
      .Case("negate", Rule::Negate)
      .Case("square", Rule::Square)
      .Cases({"maximum", "minimum", "select", "clamp"}, Rule::Choice)
      .Case("abs", Rule::Abs)
      .Cases({"floor", "ceil", "round_nearest_afz", "round_nearest_even",
              "sign", "next_after", "bitcast_convert", "constant_like"},
             Rule::FromValue)
      .Case("remainder", Rule::Remainder)
      .Case("convert", Rule::Convert)
      .Case("reduce_precision", Rule::ReducePrecision)
      .Case("exponential", Rule::Exp)
      .Case("exponential_minus_one", Rule::Expm1)
      .Case("log", Rule::Log)
      .Case("log_plus_one", Rule::Log1p)
      .Case("logistic", Rule::Logistic)
      .Case("tanh", Rule::Tanh)
      .Case("sinh", Rule::Sinh)
      .Case("cosh", Rule::Cosh)
      .Case("sqrt", Rule::Sqrt)
      .Case("rsqrt", Rule::Rsqrt)
      .Case("cbrt", Rule::Cbrt)
      .Cases({"power", "pow"}, Rule::Power)
      .Case("tan", Rule::Tan)
      .Case("erfc", Rule::Erfc)
      .Cases({"sine", "erf", "erf_inv", "atan", "asin", "asinh", "atanh"},
             Rule::Odd)
      .Case("cosine", Rule::Even)
      .Cases({"atan2", "acos", "acosh", "bessel_i1e", "digamma", "lgamma",
              "polygamma", "zeta", "_asin_acos_kernel"},
             Rule::Own)
      .Case("complex", Rule::Complex)
      .Case("real", Rule::Real)
      .Case("imag", Rule::Imag)
      .Case("conj", Rule::Conj)
      .Default(Rule::None);
}

/// One operation on a run of elements.
struct Algebra::Call {
  mlir::Operation *op;
  Rule rule;
  llvm::StringRef bare;
  uint64_t key;
  llvm::ArrayRef<Numbers> in;
  const Numbers &result;
  int64_t count;
  Element *out;

  double value(size_t operand, int64_t i) const {
    return in[operand].values[i];
  }
  const Element &element(size_t operand, int64_t i) const {
    return in[operand].elements[i];
  }
};

/// Whether every number of format `from` is one of `to`.
static bool covers(FloatFormat to, FloatFormat from) {
  if (to == from || to == FloatFormat::F64)
    return true;
  bool narrow = from != FloatFormat::F64 && from != FloatFormat::F32 &&
                from != FloatFormat::F128;
  if (to == FloatFormat::F32)
    return narrow;
  bool eight = from == FloatFormat::F8E4M3 || from == FloatFormat::F8E4M3FN ||
               from == FloatFormat::F8E5M2 || from == FloatFormat::F4E2M1FN;
  return (to == FloatFormat::BF16 || to == FloatFormat::F16) && eight;
}

static bool keepsFormat(Rule rule) {
  return rule == Rule::Negate || rule == Rule::Choice || rule == Rule::Abs ||
         rule == Rule::Convert || rule == Rule::Complex || rule == Rule::Real ||
         rule == Rule::Imag || rule == Rule::Conj;
}

Element Algebra::choice(const Call &call, int64_t i) {
  double result = call.result.values[i];
  FloatFormat format = call.result.type.format;
  if (call.bare == "select") {
    size_t which = call.value(0, i) != 0 ? 1 : 2;
    return call.element(which, i);
  }
  if (call.bare == "clamp") {
    double low = call.value(0, i), x = call.value(1, i);
    for (size_t end : {0, 2})
      if (noteNear(x, call.value(end, i), format) && options_.settlesTies)
        return call.element(end, i);
    return call.element(result == x ? 1 : result == low ? 0 : 2, i);
  }
  double a = call.value(0, i), b = call.value(1, i);
  const Element &x = call.element(0, i), &y = call.element(1, i);
  // Where both are one number, either may be the result.
  if (!sameNumber(x, y) && noteNear(a, b, format) && options_.settlesTies)
    return x.x[0] < y.x[0] ? x : y;
  return call.element(result == a ? 0 : 1, i);
}

Element Algebra::converted(const Call &call, int64_t i) {
  double result = call.result.values[i];
  if (!call.in[0].type.isFloat() && !call.in[0].type.isComplex())
    return number(result);
  const Element &e = call.element(0, i);
  FloatFormat to = call.result.type.format;
  auto from = static_cast<FloatFormat>(e.format);
  bool reduces = call.rule == Rule::ReducePrecision;
  if (options_.precisionMayChange)
    return e;
  if (reduces ? isNumber(e, result)
              : covers(to, from == FloatFormat::None ? call.in[0].type.format
                                                     : from))
    return e;
  if (isNumber(e, call.value(0, i)))
    return number(result);
  Element rounded = function(
      reduces ? mixWords(keyOf("reduce_precision"),
                         static_cast<uint64_t>(
                             reference::intOf(call.op, "exponent_bits") * 1000 +
                             reference::intOf(call.op, "mantissa_bits")))
              : mixWords(keyOf("convert"), static_cast<uint64_t>(to)),
      e);
  rounded.format = static_cast<uint8_t>(to);
  return rounded;
}

Algebra::Fraction Algebra::raised(const Call &call, int64_t i) {
  const Element &x = call.element(0, i), &y = call.element(1, i);
  double exponent = call.value(1, i), whole = std::floor(std::fabs(exponent)),
         rest = std::fabs(exponent) - whole;
  if (options_.laws.has(Law::Pow)) {
    if (whole <= 4096 && (rest == 0 || rest == 0.5) && isNumber(y, exponent)) {
      Element result = power(x, static_cast<uint64_t>(whole));
      if (rest != 0)
        result = multiply(result, sqrt(x));
      if (exponent > 0)
        rememberPower(result, call.value(0, i) < 0 ? negate(x) : x, exponent);
      return exponent < 0 ? Fraction{one_, result} : Fraction{result, one_};
    }
    if (options_.laws.has(Law::Exp))
      return {exp(multiply(y, log(x))), one_};
  }
  return {function(call.key, {x, y}), one_};
}

/// sinh and cosh by exp.
Element Algebra::hyperbolic(const Call &call, const Element &x) {
  Element up = exp(x), down = exp(negate(x));
  return multiply(half_, call.rule == Rule::Sinh ? add(up, negate(down))
                                                 : add(up, down));
}

Element Algebra::cbrt(const Element &a) const {
  Element root;
  for (int level = 0; level < levels(); ++level)
    root.x[level] = cbrtMod(level, a.x[level]);
  return opened(root);
}

/// A function that is odd or even. The half of the field that a number is in is
/// its sign, separately in each field.
Element Algebra::oddOrEven(Rule rule, uint64_t key, const Element &x) const {
  Element result = function(key, x);
  if (!options_.laws.has(Law::Parity))
    return result;
  Element other = function(key, negate(x));
  for (int level = 0; level < levels(); ++level)
    if (x.x[level] > kPrimes[level] / 2)
      result.x[level] =
          rule == Rule::Odd ? negMod(level, other.x[level]) : other.x[level];
    else if (x.x[level] == 0 && rule == Rule::Odd)
      result.x[level] = 0;
  return opened(result);
}

Element Algebra::transcendental(const Call &call, int64_t i) {
  const Element &x = call.element(0, i);
  auto has = [&](Law law) { return options_.laws.has(law); };
  switch (call.rule) {
  case Rule::Exp: // a masked score, -1e30 or minus infinity: its weight rounds to 0
    return options_.precisionMayChange && call.result.values[i] == 0 ? Element()
                                                                     : exp(x);
  case Rule::Expm1:
    return has(Law::ExpMinusOne) ? add(exp(x), negate(one_))
                                 : function(call.key, x);
  case Rule::Log:
    return log(x);
  case Rule::Log1p:
    return has(Law::Log) ? log(add(one_, x)) : function(call.key, x);
  case Rule::Sinh:
  case Rule::Cosh:
    return has(Law::Tanh) ? hyperbolic(call, x) : function(call.key, x);
  case Rule::Sqrt:
    return sqrt(x);
  case Rule::Cbrt:
    return has(Law::Sqrt) ? cbrt(x) : function(call.key, x);
  case Rule::Erfc:
    return has(Law::Erfc)
               ? add(one_, negate(oddOrEven(Rule::Odd, keyOf("erf"), x)))
               : function(call.key, x);
  case Rule::Odd:
  case Rule::Even:
    return oddOrEven(call.rule, call.key, x);
  default:
    return function(call.key, x);
  }
}

/// Whether a rule makes quotients, under the laws that are on.
static bool isFraction(Rule rule, const LawSet &laws) {
  return rule == Rule::Divide || rule == Rule::Power ||
         (rule == Rule::Logistic && laws.has(Law::Logistic)) ||
         (rule == Rule::Tanh && laws.has(Law::Tanh)) ||
         (rule == Rule::Rsqrt && laws.has(Law::Rsqrt)) ||
         (rule == Rule::Tan && laws.has(Law::Tan));
}

Algebra::Fraction Algebra::fraction(const Call &call, int64_t i) {
  const Element &x = call.element(0, i);
  switch (call.rule) {
  case Rule::Divide:
    return {x, call.element(1, i)};
  case Rule::Power:
    return raised(call, i);
  case Rule::Logistic:
    return {one_, add(one_, exp(negate(x)))};
  case Rule::Rsqrt:
    return {one_, sqrt(x)};
  case Rule::Tan: {
    static const uint64_t sine = keyOf("sine"), cosine = keyOf("cosine");
    return {oddOrEven(Rule::Odd, sine, x), oddOrEven(Rule::Even, cosine, x)};
  }
  default: { // tanh
    Element up = exp(x), down = exp(negate(x));
    return {add(up, negate(down)), add(up, down)};
  }
  }
}

/// A rounding changes its result where its number is whole, or half of an odd
/// number.
Element Algebra::whole(const Call &call, int64_t i) {
  double x = call.value(0, i), value = call.result.values[i];
  FloatFormat format = call.in[0].type.format;
  double half = call.bare.starts_with("round") ? 0.5 : 0;
  bool rounds = half != 0 || call.bare == "floor" || call.bare == "ceil";
  bool isNear = call.bare == "sign" ? noteNear(x, 0, format)
                                    : rounds && noteNearWhole(x - half, format);
  if (isNear && options_.settlesTies)
    value = call.bare == "sign" ? 0 : std::nearbyint(x - half);
  return number(value);
}

/// One real number, whose value and operands are finite.
Element Algebra::real(const Call &call, int64_t i) {
  double value = call.result.values[i];
  switch (call.rule) {
  case Rule::Negate:
    return negate(call.element(0, i));
  case Rule::Choice:
    return choice(call, i);
  case Rule::Abs:
    noteNear(call.value(0, i), 0, call.in[0].type.format);
    return call.value(0, i) < 0 ? negate(call.element(0, i))
                                : call.element(0, i);
  case Rule::FromValue:
    return whole(call, i);
  case Rule::Remainder: {
    noteNearWhole(call.value(0, i) / call.value(1, i),
                  call.result.type.format);
    double whole =
        std::trunc((call.value(0, i) - value) / call.value(1, i) +
                   std::copysign(0.5, call.value(0, i) / call.value(1, i)));
    return add(call.element(0, i),
               negate(multiply(number(whole), call.element(1, i))));
  }
  case Rule::Convert:
  case Rule::ReducePrecision:
    return converted(call, i);
  case Rule::Own: {
    llvm::SmallVector<Element, 3> all;
    for (const Numbers &operand : call.in)
      all.push_back(operand.elements[i]);
    return opened(function(call.key, all));
  }
  default:
    return transcendental(call, i);
  }
}

/// out[i] = compute(i) where the value and the operands are finite, else the
/// value.
template <typename Compute>
void Algebra::eachFinite(const Call &call, const Compute &compute) {
  llvm::SmallVector<const Element *, 3> floats;
  if (call.rule != Rule::Choice)
    for (const Numbers &operand : call.in)
      if (operand.type.isFloat())
        floats.push_back(operand.elements);
  auto format = static_cast<uint8_t>(call.result.type.format);
  bool keeps = keepsFormat(call.rule);
  for (int64_t i = 0; i < call.count; ++i) {
    double value = call.result.values[i];
    bool finite = std::isfinite(value);
    for (const Element *operand : floats)
      finite &= operand[i].kind == ElementKind::Finite;
    Element &out = call.out[i];
    out = finite ? compute(i) : number(value);
    if (!keeps || out.format == 0)
      out.format = format;
  }
}

/// Sums and products, with the number of fields known to the compiler.
template <int Levels> void Algebra::ring(const Call &call) {
  const Element *a = call.in[0].elements, *b = call.in.back().elements;
  auto each = [&](auto combine) {
    eachFinite(call, [&](int64_t i) {
      Element e;
      for (int level = 0; level < Levels; ++level)
        e.x[level] = combine(level, a[i].x[level], b[i].x[level]);
      e.lost = a[i].lost | b[i].lost;
      return e;
    });
  };
  // Not the functions themselves, which would be called through pointers.
  if (call.rule == Rule::Add)
    each([](int l, uint64_t x, uint64_t y) { return addMod(l, x, y); });
  else if (call.rule == Rule::Subtract)
    each([](int l, uint64_t x, uint64_t y) { return subMod(l, x, y); });
  else // multiply, square
    each([](int l, uint64_t x, uint64_t y) { return mulMod(l, x, y); });
}

/// Quotients, with one inversion for all.
void Algebra::quotients(const Call &call) {
  std::vector<Element> below(static_cast<size_t>(call.count));
  eachFinite(call, [&](int64_t i) {
    Fraction f = fraction(call, i);
    below[static_cast<size_t>(i)] = f.below;
    return f.above;
  });
  inverses(below);
  for (int64_t i = 0; i < call.count; ++i)
    if (call.out[i].kind == ElementKind::Finite) {
      uint8_t format = call.out[i].format;
      call.out[i] = multiply(call.out[i], below[static_cast<size_t>(i)]);
      call.out[i].format = format;
    }
}

void Algebra::applyReal(const Call &call) {
  if (llvm::is_contained(
          {Rule::Add, Rule::Subtract, Rule::Multiply, Rule::Square}, call.rule))
    return levels() == 1   ? ring<1>(call)
           : levels() == 2 ? ring<2>(call)
                           : ring<kLevels>(call);
  if (isFraction(call.rule, options_.laws))
    return quotients(call);
  eachFinite(call, [&](int64_t i) { return real(call, i); });
}

void Algebra::complexNumber(const Call &call, int64_t i, Element *out) {
  auto re = [&](size_t operand) { return call.in[operand].elements[2 * i]; };
  auto im = [&](size_t operand) {
    return call.in[operand].elements[2 * i + 1];
  };
  auto minus = [&](const Element &a, const Element &b) {
    return add(a, negate(b));
  };
  switch (call.rule) {
  case Rule::Add:
    out[0] = add(re(0), re(1)), out[1] = add(im(0), im(1));
    return;
  case Rule::Subtract:
    out[0] = minus(re(0), re(1)), out[1] = minus(im(0), im(1));
    return;
  case Rule::Negate:
    out[0] = negate(re(0)), out[1] = negate(im(0));
    return;
  case Rule::Conj:
    out[0] = re(0), out[1] = negate(im(0));
    return;
  case Rule::Multiply:
  case Rule::Square: {
    size_t other = call.rule == Rule::Square ? 0 : 1;
    Element a = re(0), b = im(0), c = re(other), d = im(other);
    out[0] = minus(multiply(a, c), multiply(b, d));
    out[1] = add(multiply(a, d), multiply(b, c));
    return;
  }
  case Rule::Divide: {
    Element a = re(0), b = im(0), c = re(1), d = im(1);
    Element norm = inverse(add(multiply(c, c), multiply(d, d)));
    out[0] = multiply(add(multiply(a, c), multiply(b, d)), norm);
    out[1] = multiply(minus(multiply(b, c), multiply(a, d)), norm);
    return;
  }
  case Rule::Choice: { // select
    size_t which = call.value(0, i) != 0 ? 1 : 2;
    out[0] = re(which), out[1] = im(which);
    return;
  }
  case Rule::FromValue:
    out[0] = number(call.result.values[2 * i]);
    out[1] = number(call.result.values[2 * i + 1]);
    return;
  case Rule::Exp: {
    Element scale = exp(re(0)), angle = im(0);
    out[0] = multiply(scale, opened(function(keyOf("cosine"), angle)));
    out[1] = multiply(scale, opened(function(keyOf("sine"), angle)));
    return;
  }
  default: {
    llvm::SmallVector<Element, 4> all;
    for (size_t k = 0; k < call.in.size(); ++k)
      all.append({re(k), im(k)});
    out[0] = opened(function(call.key, all));
    out[1] = opened(function(mixWords(call.key, 1), all));
  }
  }
}

bool Algebra::applyComplex(const Call &call) {
  bool fromComplex = call.in.size() > 0 && call.in.back().type.isComplex();
  for (int64_t i = 0; i < call.count; ++i) {
    if (call.rule == Rule::Complex) {
      call.out[2 * i] = call.element(0, i);
      call.out[2 * i + 1] = call.element(1, i);
    } else if (call.rule == Rule::Real || call.rule == Rule::Imag) {
      bool pair = call.in[0].type.isComplex();
      if (pair)
        call.out[i] = call.element(0, 2 * i + (call.rule == Rule::Imag));
      else
        call.out[i] = call.rule == Rule::Real ? call.element(0, i) : Element();
    } else if (call.rule == Rule::Abs) {
      const Element &a = call.element(0, 2 * i),
                    &b = call.element(0, 2 * i + 1);
      call.out[i] = sqrt(add(multiply(a, a), multiply(b, b)));
      if (!std::isfinite(call.result.values[i]))
        call.out[i] = number(call.result.values[i]);
    } else if (call.rule == Rule::Convert) {
      bool toPair = call.result.type.isComplex();
      if (toPair && fromComplex) {
        call.out[2 * i] = call.element(0, 2 * i);
        call.out[2 * i + 1] = call.element(0, 2 * i + 1);
      } else if (toPair) {
        call.out[2 * i] = call.in[0].type.isFloat()
                              ? call.element(0, i)
                              : number(call.result.values[2 * i]);
        call.out[2 * i + 1] = Element();
      } else {
        call.out[i] = call.element(0, 2 * i);
      }
    } else if (call.result.type.isComplex() && fromComplex) {
      complexNumber(call, i, call.out + 2 * i);
      for (int part = 0; part < 2; ++part)
        if (double v = call.result.values[2 * i + part]; !std::isfinite(v))
          call.out[2 * i + part] = number(v);
    } else {
      return false;
    }
  }
  return true;
}

bool Algebra::readsValues(mlir::Operation *op) {
  return llvm::is_contained({Rule::Choice, Rule::Abs, Rule::FromValue,
                             Rule::Remainder, Rule::Convert,
                             Rule::ReducePrecision, Rule::Power},
                            ruleOf(op->getName().getStringRef()));
}

bool Algebra::apply(mlir::Operation *op, llvm::ArrayRef<Numbers> operands,
                    const Numbers &result, int64_t count, Element *out) {
  llvm::StringRef name = op->getName().getStringRef(),
                  bare = name.split('.').second;
  if (name.starts_with("chlo."))
    bare.consume_front("broadcast_");
  Rule rule = ruleOf(name);
  if (rule == Rule::None)
    return false;
  Call call{op, rule, bare, keyOf(bare), operands, result, count, out};
  bool complex = result.type.isComplex() ||
                 llvm::any_of(operands, [](const Numbers &numbers) {
                   return numbers.type.isComplex();
                 });
  if (complex)
    return applyComplex(call);
  applyReal(call);
  return true;
}
