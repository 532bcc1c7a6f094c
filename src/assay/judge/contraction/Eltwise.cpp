// Eltwise post-ops: value, slope, and the error of a good f32 implementation.
// Formulas and the meaning of alpha and beta: oneDNN's developer guide
// "Eltwise". Allowances (Accuracy.cpp) rest on measurement: oneDNN 2.6's
// vectorised polynomials and plain float arithmetic over all bf16 and f16 values
// and 8 million floats use at most 0.7 of them (benchmark/verify/eltwise.cpp
// makes the table of docs/verify_eltwise.md).
#include "assay/judge/Accuracy.h"
#include "assay/judge/contraction/Epilogue.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::judge;

static constexpr double kUlp = 1.1920928955078125e-07; // 2^-23

/// No bound: the result is not judged.
static constexpr double kAnything = std::numeric_limits<double>::infinity();

namespace {
struct Formula {
  double value;
  double slope;        ///< greatest |f'| within the error of x
  double ulps = 0;     ///< relative allowance, beyond that of the table
  double absolute = 0; ///< absolute allowance, in the same way
};
} // namespace

/// The greatest |f'| within `error` of x, where it is `slope` at x and the second
/// derivative is nowhere beyond `bend`.
static double around(double slope, double bend, double error) {
  return std::abs(slope) + bend * error;
}

/// 1 / cosh(x)^2, greatest within `error` of x.
static double bell(double x, double error) {
  double c = std::cosh(std::max(0.0, std::abs(x) - error));
  return 1 / (c * c);
}

static Formula sigmoidLike(const std::string &name, double a, double x,
                           double error) {
  if (name == "logistic")
    return {1 / (1 + std::exp(-x)), 0.25 * bell(x / 2, error / 2)};
  if (name == "swish") {
    double s = 1 / (1 + std::exp(-a * x));
    return {x * s, around(s + a * x * s * (1 - s), 0.5 * std::abs(a), error)};
  }
  if (name == "tanh")
    return {std::tanh(x), bell(x, error)};
  if (name == "mish") {
    double soft = x > 30 ? x : std::log1p(std::exp(x)), t = std::tanh(soft);
    double slope = t + x * bell(soft, 0) / (1 + std::exp(-x));
    return {x * t, around(slope, 0.65, error)};
  }
  constexpr double kGeluBend = 0.8;
  if (name == "gelu_tanh") {
    double c = std::sqrt(2 / M_PI), u = c * x * (1 + 0.044715 * x * x),
           t = std::tanh(u);
    double slope =
        0.5 * (1 + t) + 0.5 * x * bell(u, 0) * c * (1 + 3 * 0.044715 * x * x);
    return {0.5 * x * (1 + t), around(slope, kGeluBend, error)};
  }
  double below = 0.5 * std::erfc(-x / std::sqrt(2)); // gelu_erf
  double slope = below + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
  return {x * below, around(slope, kGeluBend, error)};
}

/// a x + b between 0 and 1, and how far an error of x moves it.
static Formula ramp(double a, double b, double x, double error) {
  double y = a * x + b, reach = std::abs(a) * error;
  bool isFlat = y - reach >= 1 || y + reach <= 0;
  return {std::max(0.0, std::min(1.0, y)), isFlat ? 0 : std::abs(a)};
}

static Formula piecewise(const std::string &name, double a, double b, double x,
                         double error) {
  if (name == "relu") {
    double slope = x - error > 0   ? 1
                   : x + error < 0 ? std::abs(a)
                                   : std::max(1.0, std::abs(a));
    // With slope 0 it is max(x, 0), which is 0 for -inf, too.
    return {x > 0 ? x : a == 0 && !std::isnan(x) ? 0 : a * x, slope};
  }
  if (name == "clip" || name == "clip_v2") {
    double low = static_cast<float>(a), high = static_cast<float>(b);
    bool isFlat = x + error < low || x - error > high;
    return {std::min(std::max(x, low), high), isFlat ? 0.0 : 1.0};
  }
  Formula inner = ramp(a, b, x, error);
  if (name == "hardsigmoid")
    return inner;
  double y = a * x + b, reach = std::abs(a) * error;
  bool isBent = y - reach > 0 && y + reach < 1;
  return {x * inner.value, // hardswish
          isBent ? around(2 * a * x + b, 2 * std::abs(a), error)
                 : inner.value + inner.slope * (std::abs(x) + 2 * error)};
}

/// A function whose domain begins at 0 or just above: where the error of x
/// reaches outside the domain, the result is not judged.
static Formula fromZero(double value, double slope, double x, double error) {
  if (error == 0 || x < -error)
    return {value, 0};
  bool isOpen = x <= error;
  return {isOpen ? 0 : value, isOpen ? kAnything : slope};
}

/// a x^b
static Formula power(double a, double b, double x, double error) {
  double y = a * std::pow(x, b);
  if (error == 0 || b == 0)
    return {y, 0};
  double low = std::abs(x) - error, high = std::abs(x) + error;
  bool isPolynomial = b >= 1 && std::nearbyint(b) == b;
  if (low <= 0 && !isPolynomial)
    return {0, kAnything};
  return {y, std::abs(a * b) *
                 std::pow(b >= 1 ? high : std::max(low, 0.0), b - 1)};
}

static Formula exactly(const PostOp &op, double x, double error) {
  double a = static_cast<float>(op.alpha), b = static_cast<float>(op.beta);
  const std::string &name = op.name;
  if (name == "relu" || name == "clip" || name == "clip_v2" ||
      name == "hardsigmoid" || name == "hardswish")
    return piecewise(name, a, b, x, error);
  if (name == "abs")
    return {std::abs(x), 1};
  if (name == "linear") {
    double product = a * x;
    bool exactProduct =
        static_cast<double>(static_cast<float>(product)) == product;
    // The product rounds once more only where something is added to it.
    return {product + b, std::abs(a), 0,
            exactProduct || b == 0 ? 0 : 0.5 * kUlp * std::abs(product)};
  }
  if (name == "square")
    return {x * x, 2 * std::abs(x) + error};
  if (name == "sqrt")
    return fromZero(x >= 0 ? std::sqrt(x) : std::nan(""),
                    0.5 / std::sqrt(x - error), x, error);
  if (name == "round")
    return {std::nearbyint(x),
            error > 0 && std::abs(x - std::floor(x) - 0.5) <= error ? 1 / error
                                                                    : 0};
  if (name == "exp")
    return {std::exp(x), std::exp(x + error)};
  if (name == "log") {
    Formula f = fromZero(std::log(x), 1 / (x - error), x, error);
    f.absolute = x < 0x1p-126 ? kAnything : 0; // subnormal x may count as 0
    return f;
  }
  if (name == "elu")
    return {x > 0 ? x : a * std::expm1(x),
            x - error > 0   ? 1
            : x + error < 0 ? std::abs(a) * std::exp(x + error)
                            : std::max(1.0, std::abs(a))};
  if (name == "pow")
    return power(a, b, x, error);
  if (name == "soft_relu") {
    double alpha = a == 0 ? 1 : a, scaled = alpha * x;
    return {(scaled > 30 ? scaled : std::log1p(std::exp(scaled))) / alpha,
            1 / (1 + std::exp(-scaled - std::abs(alpha) * error))};
  }
  return sigmoidLike(name, a, x, error);
}

static Formula formulaOf(const PostOp &op, double x, double error) {
  Formula f = exactly(op, x, error);
  Accuracy accuracy = eltwiseAccuracy(op.name, static_cast<float>(op.alpha),
                                      static_cast<float>(op.beta));
  f.ulps += accuracy.ulps;
  f.absolute += accuracy.absolute;
  return f;
}

Bounded judge::eltwise(const PostOp &op, double x, double error) {
  Formula f = formulaOf(op, x, error);
  double moved = error == 0 || std::isinf(x) ? 0 : f.slope * error;
  return {f.value, moved + f.ulps * kUlp * std::abs(f.value) + f.absolute};
}

double judge::eltwiseAbsolute(const PostOp &op) {
  return formulaOf(op, 1, 0).absolute;
}
