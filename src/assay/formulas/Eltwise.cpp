// Elementwise functions as StableHLO operations. One class holds the operand
// and makes constants of its shape; forward() and slope() are the two tables,
// each a list of names. Constants of the formulas are written in f64 and
// rounded to the operand's type by the builder.
// Source: oneDNN's developer guide, "Eltwise".
#include "assay/formulas/Eltwise.h"
#include "assay/formulas/Activations.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using program::Builder;

static constexpr llvm::StringRef kNames[] = {
    "abs",       "clip",         "clip_v2", "clip_v2_dst", "elu",
    "elu_dst",   "exp",          "exp_dst", "gelu_erf",    "gelu_tanh",
    "hardswish", "hardsigmoid",  "linear",  "log",         "logistic",
    "mish",      "logistic_dst", "pow",     "relu",        "relu_dst",
    "round",     "soft_relu",    "sqrt",    "sqrt_dst",    "square",
    "srelu",     "swish",        "tanh",    "tanh_dst"};

llvm::StringRef EltwiseFunction::stem() const {
  llvm::StringRef text = name;
  text.consume_back("_dst");
  return text == "srelu" ? "soft_relu" : text;
}

llvm::ArrayRef<llvm::StringRef> formulas::eltwiseNames() { return kNames; }

bool formulas::isEltwiseFunction(llvm::StringRef name) {
  return llvm::is_contained(kNames, name);
}

bool formulas::usesBeta(llvm::StringRef name, bool backward) {
  name.consume_back("_dst");
  if (name == "linear" && backward)
    return false;
  return name == "clip" || name == "clip_v2" || name == "linear" ||
         name == "hardsigmoid" || name == "hardswish" || name == "pow";
}

bool formulas::usesAlpha(llvm::StringRef name) {
  if (usesBeta(name))
    return true;
  name.consume_back("_dst");
  return name == "relu" || name == "elu" || name == "swish" ||
         name == "soft_relu" || name == "srelu";
}

std::string formulas::eltwiseContradiction(const EltwiseFunction &function,
                                         bool backward) {
  llvm::StringRef stem = function.stem();
  if ((stem == "clip" || stem == "clip_v2") && function.beta < function.alpha)
    return function.name + " needs alpha <= beta";
  if (function.usesDst() && (stem == "relu" || stem == "elu") &&
      function.alpha < 0)
    return function.name + " needs alpha >= 0";
  if (stem == "round" && backward)
    return "round has no backward pass";
  return "";
}

namespace {
/// The operations of one function at one operand.
class Functions {
public:
  Functions(Builder &builder, const EltwiseFunction &function, Value x)
      : b_(builder), plain_(builder), x_(x), stem_(function.stem()),
        alphaNumber_(static_cast<float>(function.alpha)),
        betaNumber_(static_cast<float>(function.beta)) {}

  Value forward();
  Value slope();
  Value slopeFromDst();

private:
  Value number(double value) { return b_.constant(value, Builder::typeOf(x_)); }
  Value alpha() { return number(alphaNumber_); }
  Value beta() { return number(betaNumber_); }
  Value add(Value a, Value b) { return b_.binary("add", a, b); }
  Value subtract(Value a, Value b) { return b_.binary("subtract", a, b); }
  Value multiply(Value a, Value b) { return b_.binary("multiply", a, b); }
  Value divide(Value a, Value b) { return b_.binary("divide", a, b); }
  Value unary(llvm::StringRef name, Value v) { return b_.unary(name, v); }
  Value positive(Value v) { return b_.compare("GT", v, number(0)); }
  Value where(Value condition, Value yes, Value no) {
    return b_.select(condition, yes, no);
  }
  Value inside(Value v, Value low, llvm::StringRef upper, Value high) {
    return b_.binary("and", b_.compare("GT", v, low),
                     b_.compare(upper, v, high));
  }
  Value lines() { return add(multiply(alpha(), x_), beta()); }
  Value normalDistribution() { // (1 + erf(x / sqrt(2))) / 2
    Value erf = unary("chlo.erf", divide(x_, number(std::sqrt(2.0))));
    return multiply(number(0.5), add(number(1), erf));
  }
  Value softReluScale() { return number(alphaNumber_ == 0 ? 1 : alphaNumber_); }

  Value smoothForward();
  Value smoothSlope();

  Builder &b_;
  Arithmetic plain_;
  Value x_;
  llvm::StringRef stem_;
  double alphaNumber_, betaNumber_;
};
} // namespace

/// The functions made of one or two operations, and those with branches.
Value Functions::forward() {
  if (stem_ == "abs" || stem_ == "sqrt" || stem_ == "log" || stem_ == "tanh" ||
      stem_ == "logistic")
    return unary(stem_, x_);
  if (stem_ == "exp")
    return unary("exponential", x_);
  if (stem_ == "round")
    return unary("round_nearest_even", x_);
  if (stem_ == "square")
    return multiply(x_, x_);
  if (stem_ == "linear")
    return lines();
  if (stem_ == "relu") // 0 * -inf is not part of max(x, 0)
    return alphaNumber_ == 0 ? b_.binary("maximum", x_, alpha())
                             : where(positive(x_), x_, multiply(alpha(), x_));
  if (stem_ == "elu")
    return where(positive(x_), x_,
                 multiply(alpha(), unary("exponential_minus_one", x_)));
  if (stem_ == "clip")
    return b_.clamp(alpha(), x_, beta());
  if (stem_ == "clip_v2")
    return b_.binary("minimum", b_.binary("maximum", x_, alpha()), beta());
  if (stem_ == "hardsigmoid")
    return b_.clamp(number(0), lines(), number(1));
  if (stem_ == "hardswish")
    return multiply(x_, b_.clamp(number(0), lines(), number(1)));
  return smoothForward();
}

Value Functions::smoothForward() {
  if (stem_ == "swish")
    return gated(plain_, x_, multiply(alpha(), x_));
  if (stem_ == "pow")
    return multiply(alpha(), b_.binary("power", x_, beta()));
  if (stem_ == "soft_relu")
    return divide(softPlus(plain_, multiply(softReluScale(), x_)), softReluScale());
  if (stem_ == "mish")
    return mish(plain_, x_);
  if (stem_ == "gelu_tanh")
    return geluByTanh(plain_, x_);
  return multiply(x_, normalDistribution()); // gelu_erf
}

/// f'(x) of the functions with branches and of the simplest smooth ones.
Value Functions::slope() {
  Value zero = number(0), one = number(1);
  if (stem_ == "abs")
    return unary("sign", x_);
  if (stem_ == "linear")
    return alpha();
  if (stem_ == "square")
    return multiply(number(2), x_);
  if (stem_ == "relu")
    return where(positive(x_), one, alpha());
  if (stem_ == "elu")
    return where(positive(x_), one,
                 multiply(alpha(), unary("exponential", x_)));
  if (stem_ == "clip")
    return where(inside(x_, alpha(), "LE", beta()), one, zero);
  if (stem_ == "clip_v2")
    return where(inside(x_, alpha(), "LT", beta()), one, zero);
  if (stem_ == "hardsigmoid")
    return where(inside(lines(), zero, "LT", one), alpha(), zero);
  if (stem_ == "hardswish") {
    Value line = lines();
    Value inner = add(multiply(number(2 * alphaNumber_), x_), beta());
    return where(b_.compare("GE", line, one), one,
                 where(positive(line), inner, zero));
  }
  if (stem_ == "exp")
    return unary("exponential", x_);
  if (stem_ == "log")
    return divide(one, x_);
  if (stem_ == "sqrt")
    return divide(number(0.5), unary("sqrt", x_));
  if (stem_ == "tanh") {
    Value t = unary("tanh", x_);
    return subtract(one, multiply(t, t));
  }
  return smoothSlope();
}

Value Functions::smoothSlope() {
  Value one = number(1);
  if (stem_ == "logistic") {
    Value s = unary("logistic", x_);
    return multiply(s, subtract(one, s));
  }
  if (stem_ == "swish")
    return gatedSlope(plain_, multiply(alpha(), x_));
  if (stem_ == "pow") {
    Value factor = multiply(alpha(), beta());
    return betaNumber_ == 0
               ? factor
               : multiply(factor,
                          b_.binary("power", x_, number(betaNumber_ - 1)));
  }
  if (stem_ == "soft_relu")
    return unary("logistic", multiply(softReluScale(), x_));
  if (stem_ == "mish")
    return mishSlope(plain_, x_);
  if (stem_ == "gelu_tanh") {
    Value t = tanhOfCube(plain_, x_);
    Value cube = multiply(x_, multiply(x_, x_));
    Value inner = multiply(number(std::sqrt(2 / M_PI)),
                           add(x_, multiply(number(0.134145), cube)));
    return multiply(multiply(number(0.5), add(one, t)),
                    add(one, multiply(inner, subtract(one, t))));
  }
  Value density = unary("exponential",
                        multiply(number(-0.5), multiply(x_, x_))); // gelu_erf
  Value tail = multiply(multiply(x_, number(1 / std::sqrt(2 * M_PI))), density);
  return add(normalDistribution(), tail);
}

/// f'(src) as a function of dst = f(src).
Value Functions::slopeFromDst() {
  Value zero = number(0), one = number(1);
  if (stem_ == "relu")
    return where(positive(x_), one, alpha());
  if (stem_ == "elu")
    return where(positive(x_), one, add(x_, alpha()));
  if (stem_ == "clip_v2")
    return where(inside(x_, alpha(), "LT", beta()), one, zero);
  if (stem_ == "exp")
    return x_;
  if (stem_ == "sqrt")
    return divide(number(0.5), x_);
  if (stem_ == "logistic")
    return multiply(x_, subtract(one, x_));
  return subtract(one, multiply(x_, x_)); // tanh
}

Value formulas::eltwiseForward(Builder &builder,
                               const EltwiseFunction &function, Value x) {
  if (!isEltwiseFunction(function.name))
    builder.fail("eltwise function '" + function.name + "' is unknown");
  return Functions(builder, function, x).forward();
}

Value formulas::eltwiseSlope(Builder &builder, const EltwiseFunction &function,
                             Value data) {
  if (!isEltwiseFunction(function.name))
    builder.fail("eltwise function '" + function.name + "' is unknown");
  Functions functions(builder, function, data);
  return function.usesDst() ? functions.slopeFromDst() : functions.slope();
}
