// Replay of leaf modules. Each formula gives, for one row of the input, the
// output in f64 and the sum of the moduli of what was added (for the tolerance
// of cancellation). The formulas of a class are tried on the bench; the first
// that explains it judges the target. Sources: PyTorch's documentation of
// torch.nn for the formulas.
#include "assay/trace/Replay.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Ulp.h"
#include "assay/trace/ReplayProducts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
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
/// The same for several rows at once, behind each other.
using RowsFormula = std::function<void(
    const Side &, llvm::ArrayRef<int64_t> rows, double *out, double *moduli)>;

struct Formula {
  Formula(std::string name, RowsFormula rows)
      : name(std::move(name)), rows(std::move(rows)) {}
  Formula(std::string name, RowFormula row)
      : name(std::move(name)),
        rows([row = std::move(row)](const Side &side,
                                    llvm::ArrayRef<int64_t> list, double *out,
                                    double *moduli) {
          for (int64_t r : list) {
            row(side, r, out, moduli);
            out += side.outWidth;
            moduli += side.outWidth;
          }
        }) {}
  std::string name;
  RowsFormula rows;
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
  return {std::move(name), RowFormula([f](const Side &side, int64_t r,
                                          double *out, double *moduli) {
            for (int64_t i = 0; i < side.outWidth; ++i) {
              double x = side.input[static_cast<size_t>(r * side.inWidth + i)];
              out[i] = f(x);
              moduli[i] =
                  std::fabs(x) *
                  0x1p-4; // exp and erf of f32 kernels are good to a few units
            }
          })};
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

/// x W^T + b. The sum of moduli is bounded by the product of the norms (Cauchy
/// and Schwarz).
static void linearRows(const Side &side, llvm::ArrayRef<int64_t> rows,
                       double *out, double *moduli) {
  auto count = static_cast<int64_t>(rows.size());
  auto width = static_cast<size_t>(side.inWidth);
  std::vector<double> x(rows.size() * width), norms(rows.size()),
      products(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    double *row = x.data() + r * width;
    std::copy_n(side.input.data() + rows[r] * side.inWidth, width, row);
    innerProducts(row, 1, side.inWidth, row, &norms[r]);
  }
  for (int64_t o = 0; o < side.outWidth; ++o) {
    const double *w = side.weight.data() + o * side.inWidth;
    double bias = side.bias.empty() ? 0 : side.bias[static_cast<size_t>(o)],
           square = 0;
    innerProducts(w, 1, side.inWidth, w, &square);
    innerProducts(x.data(), count, side.inWidth, w, products.data());
    for (int64_t r = 0; r < count; ++r) {
      auto at = static_cast<size_t>(r);
      out[r * side.outWidth + o] = products[at] + bias;
      moduli[r * side.outWidth + o] =
          std::sqrt(norms[at] * square) + std::fabs(bias);
    }
  }
}

static Formula layerNorm(double epsilon, const char *text) {
  return {std::string("layer norm, eps ") + text,
          RowFormula([epsilon](const Side &side, int64_t r, double *out,
                               double *moduli) {
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
          })};
}

static Formula rmsNorm(double epsilon, const char *text) {
  return {
      std::string("rms norm, eps ") + text,
      RowFormula([epsilon](const Side &side, int64_t r, double *out,
                           double *moduli) {
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
      })};
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
      result.emplace_back("x W^T + b", RowsFormula(linearRows));
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
    result.emplace_back("softmax", RowFormula(softmaxRow));
  } else if (name.contains("Embedding") && bench.inWidth == 1 &&
             !bench.weight.empty()) {
    result.emplace_back("row of the table", RowFormula(embeddingRow));
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

/// Which rows are computed: some evenly spaced, and those where the two sides
/// differ most.
static std::vector<int64_t> chooseRows(const Side &target, const Side &bench,
                                       int64_t most) {
  std::vector<int64_t> chosen;
  if (target.rows <= most) {
    chosen.resize(static_cast<size_t>(target.rows));
    std::iota(chosen.begin(), chosen.end(), int64_t{0});
    return chosen;
  }
  int64_t even = 2 * most / 3;
  for (int64_t i = 0; i < even; ++i)
    chosen.push_back(i * target.rows / even);
  std::vector<std::pair<double, int64_t>> differences;
  for (int64_t r = 0; r < target.rows; ++r) {
    double sum = 0;
    for (int64_t i = r * target.outWidth; i < (r + 1) * target.outWidth; ++i)
      sum += std::fabs(target.output[static_cast<size_t>(i)] -
                       bench.output[static_cast<size_t>(i)]);
    differences.emplace_back(std::isfinite(sum) ? -sum : -HUGE_VAL, r);
  }
  std::partial_sort(differences.begin(), differences.begin() + (most - even),
                    differences.end());
  for (int64_t i = 0; i < most - even; ++i)
    chosen.push_back(differences[static_cast<size_t>(i)].second);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

static Deviation deviationOf(const Formula &formula, const Side &side,
                             llvm::ArrayRef<int64_t> rows) {
  constexpr double kUlps = 4;
  Deviation result;
  std::vector<double> out(rows.size() * static_cast<size_t>(side.outWidth)),
      moduli(out.size());
  formula.rows(side, rows, out.data(), moduli.data());
  size_t at = 0;
  for (int64_t r : rows)
    for (int64_t i = 0; i < side.outWidth; ++i, ++at) {
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
  return result;
}

std::optional<ReplayResult> replayLeaf(const LeafCall &target,
                                       const LeafCall &bench) {
  std::optional<Side> targetSide = sideOf(target), benchSide = sideOf(bench);
  if (!targetSide || !benchSide || targetSide->inWidth != benchSide->inWidth ||
      targetSide->outWidth != benchSide->outWidth ||
      targetSide->rows != benchSide->rows)
    return std::nullopt;
  std::vector<Formula> formulas = formulasOf(bench.className, *benchSide);
  bool normWeight =
      benchSide->weight.empty() ||
      static_cast<int64_t>(benchSide->weight.size()) == benchSide->outWidth;
  if (llvm::StringRef(bench.className).contains("Norm") && !normWeight)
    return std::nullopt;
  bool product = llvm::StringRef(bench.className).contains("Linear");
  std::vector<int64_t> rows =
      chooseRows(*targetSide, *benchSide, product ? 24 : 64);
  const Formula *best = nullptr;
  Deviation bestDeviation;
  for (const Formula &formula : formulas) {
    Deviation deviation = deviationOf(formula, *benchSide, rows);
    if (!best || deviation.off < bestDeviation.off) {
      best = &formula;
      bestDeviation = deviation;
    }
  }
  if (!best || bestDeviation.off > bestDeviation.elements / 1000)
    return std::nullopt;
  ReplayResult result;
  Deviation deviation = deviationOf(*best, *targetSide, rows);
  result.formula = best->name;
  result.elements = deviation.elements;
  result.targetOff = deviation.off;
  result.benchOff = bestDeviation.off;
  result.worstUlp = deviation.worstUlp;
  if (result.targetWrong())
    for (const Formula &formula : formulas)
      if (&formula != best && deviationOf(formula, *targetSide, rows).off <=
                                  deviation.elements / 1000)
        result.targetFormula = formula.name;
  return result;
}

} // namespace assay::trace
