// Replay of leaf modules. Each formula gives, for one row of the input, the
// output in f64 and the sum of the moduli of what was added (for the tolerance
// of cancellation). The formulas of a class are tried on the bench; the first
// that explains it judges the target. Sources: PyTorch's documentation of
// torch.nn for the formulas.
#include "assay/trace/Replay.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Ulp.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace assay::trace {

using tensor::Tensor;

namespace {
/// One side in f64.
struct Side {
  std::vector<double> input, output, weight, bias;
  int64_t inWidth = 0, outWidth = 0, rows = 0;
  tensor::ElementType outputType;
};

/// Computes row `r`: output values and sums of moduli.
using RowFormula =
    std::function<void(const Side &, int64_t r, double *out, double *moduli)>;

struct Formula {
  std::string name;
  RowFormula row;
};
} // namespace

static std::vector<double> toDoubles(const Tensor &tensor) {
  if (!tensor.valid())
    return {};
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  return values;
}

static Formula elementwise(std::string name, double (*f)(double)) {
  return {std::move(name),
          [f](const Side &side, int64_t r, double *out, double *moduli) {
            for (int64_t i = 0; i < side.outWidth; ++i) {
              double x = side.input[static_cast<size_t>(r * side.inWidth + i)];
              out[i] = f(x);
              moduli[i] =
                  std::fabs(x) *
                  0x1p-4; // exp and erf of f32 kernels are good to a few units
            }
          }};
}

static double geluTanh(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double geluErf(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}
static double geluSigmoid(double x) { return x / (1 + std::exp(-1.702 * x)); }
static double silu(double x) { return x / (1 + std::exp(-x)); }
static double relu(double x) { return std::max(x, 0.0); }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double identity(double x) { return x; }
static double hyperbolicTangent(double x) { return std::tanh(x); }

static void linearRow(const Side &side, int64_t r, double *out,
                      double *moduli) {
  const double *x = side.input.data() + r * side.inWidth;
  for (int64_t o = 0; o < side.outWidth; ++o) {
    const double *w = side.weight.data() + o * side.inWidth;
    double sum = side.bias.empty() ? 0 : side.bias[static_cast<size_t>(o)],
           size = std::fabs(sum);
    for (int64_t k = 0; k < side.inWidth; ++k) {
      sum += x[k] * w[k];
      size += std::fabs(x[k] * w[k]);
    }
    out[o] = sum;
    moduli[o] = size;
  }
}

static Formula layerNorm(double epsilon, const char *text) {
  return {std::string("layer norm, eps ") + text,
          [epsilon](const Side &side, int64_t r, double *out, double *moduli) {
            const double *x = side.input.data() + r * side.inWidth;
            double mean = 0, variance = 0;
            for (int64_t i = 0; i < side.inWidth; ++i)
              mean += x[i];
            mean /= static_cast<double>(side.inWidth);
            for (int64_t i = 0; i < side.inWidth; ++i)
              variance += (x[i] - mean) * (x[i] - mean);
            double scale =
                1 / std::sqrt(variance / static_cast<double>(side.inWidth) +
                              epsilon);
            for (int64_t i = 0; i < side.inWidth; ++i) {
              auto at = static_cast<size_t>(i);
              double w = side.weight.empty() ? 1 : side.weight[at],
                     b = side.bias.empty() ? 0 : side.bias[at];
              out[i] = (x[i] - mean) * scale * w + b;
              moduli[i] =
                  (std::fabs(x[i]) + std::fabs(mean)) * scale * std::fabs(w) +
                  std::fabs(b);
            }
          }};
}

static Formula rmsNorm(double epsilon, const char *text) {
  return {
      std::string("rms norm, eps ") + text,
      [epsilon](const Side &side, int64_t r, double *out, double *moduli) {
        const double *x = side.input.data() + r * side.inWidth;
        double squares = 0;
        for (int64_t i = 0; i < side.inWidth; ++i)
          squares += x[i] * x[i];
        double scale =
            1 /
            std::sqrt(squares / static_cast<double>(side.inWidth) + epsilon);
        for (int64_t i = 0; i < side.inWidth; ++i) {
          out[i] =
              x[i] * scale *
              (side.weight.empty() ? 1 : side.weight[static_cast<size_t>(i)]);
          moduli[i] = 2 * std::fabs(out[i]);
        }
      }};
}

static void softmaxRow(const Side &side, int64_t r, double *out,
                       double *moduli) {
  const double *x = side.input.data() + r * side.inWidth;
  double largest = *std::max_element(x, x + side.inWidth), sum = 0;
  for (int64_t i = 0; i < side.inWidth; ++i)
    sum += std::exp(x[i] - largest);
  for (int64_t i = 0; i < side.inWidth; ++i) {
    out[i] = std::exp(x[i] - largest) / sum;
    moduli[i] = out[i] * (1 + std::fabs(x[i] - largest));
  }
}

static void embeddingRow(const Side &side, int64_t r, double *out,
                         double *moduli) {
  auto count = static_cast<int64_t>(side.weight.size()) /
               std::max<int64_t>(1, side.outWidth);
  auto index = static_cast<int64_t>(side.input[static_cast<size_t>(r)]);
  for (int64_t i = 0; i < side.outWidth; ++i) {
    bool inside = index >= 0 && index < count;
    out[i] = inside
                 ? side.weight[static_cast<size_t>(index * side.outWidth + i)]
                 : 0;
    moduli[i] = 0;
  }
}

static std::vector<Formula> formulasOf(llvm::StringRef name,
                                       const Side &bench) {
  std::vector<Formula> result;
  bool sameWidth = bench.inWidth == bench.outWidth;
  if (name.contains("Linear")) {
    if (static_cast<int64_t>(bench.weight.size()) ==
        bench.inWidth * bench.outWidth)
      result.push_back({"x W^T + b", linearRow});
  } else if (name.contains("LayerNorm") && sameWidth) {
    for (auto [epsilon, text] : {std::pair{1e-6, "1e-6"},
                                 {1e-5, "1e-5"},
                                 {1e-12, "1e-12"},
                                 {1e-3, "1e-3"}})
      result.push_back(layerNorm(epsilon, text));
  } else if (name.contains("RMSNorm") && sameWidth) {
    for (auto [epsilon, text] :
         {std::pair{1e-6, "1e-6"}, {1e-5, "1e-5"}, {1e-8, "1e-8"}})
      result.push_back(rmsNorm(epsilon, text));
  } else if (name.contains_insensitive("gelu") && sameWidth) {
    result = {elementwise("gelu (tanh)", geluTanh),
              elementwise("gelu (erf)", geluErf),
              elementwise("gelu (sigmoid)", geluSigmoid)};
  } else if (name.contains_insensitive("silu") && sameWidth) {
    result = {elementwise("silu", silu)};
  } else if (name.equals_insensitive("relu") && sameWidth) {
    result = {elementwise("relu", relu)};
  } else if (name.equals_insensitive("sigmoid") && sameWidth) {
    result = {elementwise("sigmoid", sigmoid)};
  } else if (name.equals_insensitive("tanh") && sameWidth) {
    result = {elementwise("tanh", hyperbolicTangent)};
  } else if (name.equals_insensitive("softmax") && sameWidth) {
    result = {{"softmax", softmaxRow}};
  } else if (name.contains("Embedding") && bench.inWidth == 1 &&
             !bench.weight.empty()) {
    result = {{"row of the table", embeddingRow}};
  } else if ((name.starts_with("Dropout") || name == "Identity") && sameWidth) {
    result = {elementwise("identity", identity)};
  }
  return result;
}

static std::optional<Side> sideOf(const LeafCall &call) {
  if (!call.input.valid() || !call.output.valid() || call.output.size() == 0 ||
      call.output.rank() == 0)
    return std::nullopt;
  Side side;
  side.outputType = call.output.elementType();
  if (!side.outputType.isFloat())
    return std::nullopt;
  side.outWidth = call.output.shape().back();
  side.rows = call.output.size() / side.outWidth;
  if (call.input.size() % side.rows != 0 || call.input.size() == 0)
    return std::nullopt;
  side.inWidth = call.input.size() / side.rows;
  side.input = toDoubles(call.input);
  side.output = toDoubles(call.output);
  side.weight = toDoubles(call.weight);
  side.bias = toDoubles(call.bias);
  auto vectorOf = [&](const std::vector<double> &values) {
    return values.empty() ||
           static_cast<int64_t>(values.size()) == side.outWidth;
  };
  if (!vectorOf(side.bias))
    return std::nullopt;
  return side;
}

namespace {
struct Deviation {
  int64_t off = 0, elements = 0;
  double worstUlp = 0;
};
} // namespace

static Deviation deviationOf(const Formula &formula, const Side &side) {
  constexpr int64_t kRows = 64;
  constexpr double kUlps = 4;
  Deviation result;
  std::vector<double> out(static_cast<size_t>(side.outWidth)),
      moduli(out.size());
  int64_t stride = std::max<int64_t>(1, side.rows / kRows);
  for (int64_t r = 0; r < side.rows; r += stride) {
    formula.row(side, r, out.data(), moduli.data());
    for (int64_t i = 0; i < side.outWidth; ++i) {
      auto at = static_cast<size_t>(i);
      double ulp = numerics::ulpOf(out[at], side.outputType.format);
      double error = std::fabs(
          side.output[static_cast<size_t>(r * side.outWidth + i)] - out[at]);
      bool within = error <= kUlps * ulp + 0x1p-20 * moduli[at];
      result.off += !within;
      if (!within)
        result.worstUlp = std::max(
            result.worstUlp, std::isfinite(error) ? error / ulp : HUGE_VAL);
      ++result.elements;
    }
  }
  return result;
}

std::optional<ReplayResult> replayLeaf(const LeafCall &target,
                                       const LeafCall &bench) {
  std::optional<Side> targetSide = sideOf(target), benchSide = sideOf(bench);
  if (!targetSide || !benchSide || targetSide->inWidth != benchSide->inWidth ||
      targetSide->outWidth != benchSide->outWidth)
    return std::nullopt;
  std::vector<Formula> formulas = formulasOf(bench.className, *benchSide);
  bool normWeight =
      benchSide->weight.empty() ||
      static_cast<int64_t>(benchSide->weight.size()) == benchSide->outWidth;
  if (llvm::StringRef(bench.className).contains("Norm") && !normWeight)
    return std::nullopt;
  const Formula *best = nullptr;
  Deviation bestDeviation;
  for (const Formula &formula : formulas) {
    Deviation deviation = deviationOf(formula, *benchSide);
    if (!best || deviation.off < bestDeviation.off) {
      best = &formula;
      bestDeviation = deviation;
    }
  }
  if (!best || bestDeviation.off > bestDeviation.elements / 1000)
    return std::nullopt;
  ReplayResult result;
  Deviation deviation = deviationOf(*best, *targetSide);
  result.formula = best->name;
  result.elements = deviation.elements;
  result.targetOff = deviation.off;
  result.benchOff = bestDeviation.off;
  result.worstUlp = deviation.worstUlp;
  if (result.targetWrong())
    for (const Formula &formula : formulas)
      if (&formula != best &&
          deviationOf(formula, *targetSide).off <= deviation.elements / 1000)
        result.targetFormula = formula.name;
  return result;
}

} // namespace assay::trace
