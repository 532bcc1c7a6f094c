// Eltwise post-ops: value, slope, and what a good f32 implementation may err.
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
  double slope;        ///< greatest |f'| around x
  double ulps = 0;     ///< relative allowance, beyond that of the table
  double absolute = 0; ///< absolute allowance, likewise
};
} // namespace

static Formula sigmoidLike(const std::string &name, double a, double x) {
  if (name == "logistic") {
    double s = 1 / (1 + std::exp(-x));
    return {s, 0.25};
  }
  if (name == "swish") {
    double s = 1 / (1 + std::exp(-a * x));
    return {x * s, 1.1};
  }
  if (name == "tanh")
    return {std::tanh(x), 1};
  if (name == "mish") {
    double soft = x > 30 ? x : std::log1p(std::exp(x));
    return {x * std::tanh(soft), 1.1};
  }
  if (name == "gelu_tanh") {
    double t = std::tanh(std::sqrt(2 / M_PI) * x * (1 + 0.044715 * x * x));
    return {0.5 * x * (1 + t), 1.15};
  }
  return {0.5 * x * std::erfc(-x / std::sqrt(2)), 1.15}; // gelu_erf
}

static Formula piecewise(const std::string &name, double a, double b, double x,
                         double error) {
  if (name == "relu") {
    double slope = x - error > 0   ? 1
                   : x + error < 0 ? std::abs(a)
                                   : std::max(1.0, std::abs(a));
    // Without a slope it is max(x, 0), which -inf has, too.
    return {x > 0 ? x : a == 0 && !std::isnan(x) ? 0 : a * x, slope};
  }
  if (name == "clip" || name == "clip_v2")
    return {std::min(std::max(x, static_cast<double>(static_cast<float>(a))),
                     static_cast<double>(static_cast<float>(b))),
            1};
  if (name == "hardsigmoid")
    return {std::max(0.0, std::min(1.0, a * x + b)), std::abs(a)};
  double inner = std::max(0.0, std::min(1.0, a * x + b)); // hardswish
  return {x * inner, std::abs(inner) + std::abs(a * x)};
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
    return {product + b, std::abs(a), 0,
            exactProduct ? 0 : kUlp * std::abs(product)};
  }
  if (name == "square")
    return {x * x, 2 * (std::abs(x) + error)};
  if (name == "sqrt")
    return {x > 0    ? std::sqrt(x)
            : x == 0 ? 0
                     : std::nan(""),
            x > error ? 0.5 / std::sqrt(x - error) : 1e3};
  if (name == "round")
    return {std::nearbyint(x),
            error > 0 && std::abs(x - std::floor(x) - 0.5) <= error ? 1 / error
                                                                    : 0};
  if (name == "exp")
    return {std::exp(x), std::exp(x + error)};
  if (name == "log")
    return {std::log(x), x > error ? 1 / (x - error) : 1e3, 0,
            x < 0x1p-126 ? kAnything : 0}; // subnormal x may count as 0
  if (name == "elu")
    return {x > 0 ? x : a * std::expm1(x), std::max(1.0, std::abs(a))};
  if (name == "pow") {
    double y = a * std::pow(x, b);
    return {y, std::abs(y * b / (x == 0 ? 1 : x)) + error};
  }
  if (name == "soft_relu") {
    double alpha = a == 0 ? 1 : a, scaled = alpha * x;
    return {(scaled > 30 ? scaled : std::log1p(std::exp(scaled))) / alpha, 1};
  }
  return sigmoidLike(name, a, x);
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
  return {f.value,
          f.slope * error + f.ulps * kUlp * std::abs(f.value) + f.absolute};
}

double judge::eltwiseAbsolute(const PostOp &op) {
  return formulaOf(op, 1, 0).absolute;
}
