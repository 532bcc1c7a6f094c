// The table of module classes and the programs of their formulas. A call is
// reduced to some rows of its input and output; the program is built for those,
// with the same operations that operators are built with (aten/Emitter.h).
// Sources: PyTorch's documentation of torch.nn for the formulas.
#include "assay/trace/ModulePrograms.h"
#include "assay/formulas/Activations.h"
#include "assay/formulas/Softmax.h"
#include "assay/trace/Values.h"
#include "assay/trace/aten/Emitter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::trace {

using aten::Emitter;
using aten::Value;
using tensor::Tensor;
using tensor::TensorType;

namespace {
/// The arguments of a module's program: rows of the input, and its parameters.
struct Arguments {
  Value x;
  std::optional<Value> weight, bias;
};
using Build = Value (*)(Emitter &, const Arguments &, double option);

/// One formula of a class; `option` is an epsilon where the formula has one.
/// `setting`: the module's setting that distinguishes the formulas of a class,
/// by `value` if it is a word, else as the option.
struct Row {
  const char *className;
  enum Match { Contains, ContainsAnyCase, EqualsAnyCase, StartsWith } match;
  enum Needs { SameWidth, Matrix, Table } needs;
  const char *name;
  Build build;
  double option;
  const char *setting = "", *value = "";
};
/// A formula with its option.
struct Candidate {
  const Row *row;
  double option;
  std::string name;
  Build build;
};
} // namespace

static Value linear(Emitter &e, const Arguments &a, double) {
  Value y = e.dot(a.x, *a.weight, {}, {}, {1}, {1});
  return a.bias ? e.withBias(e.rounded(y), *a.bias, a.x.size(1)) : y;
}
static Value linearOfOne(Emitter &e, const Arguments &a, double) {
  Value y = e.dot(a.x, *a.weight, {}, {}, {1}, {1});
  return a.bias ? e.add(y, *a.bias) : y;
}
static Value layerNorm(Emitter &e, const Arguments &a, double epsilon) {
  Value y = e.normalized(a.x, {1}, epsilon).out;
  y = a.weight ? e.mul(y, *a.weight) : y;
  return a.bias ? e.add(y, *a.bias) : y;
}
static Value rmsNorm(Emitter &e, const Arguments &a, double epsilon) {
  Value y = e.rmsNormalized(a.x, {1}, epsilon);
  return a.weight ? e.mul(y, *a.weight) : y;
}
/// All in the type of x except the statistics: each operator rounds to it.
static Value rmsNormOfTwo(Emitter &e, const Arguments &a, double epsilon) {
  Value y = e.rounded(rmsNorm(e, {a.x, std::nullopt, std::nullopt}, epsilon));
  return a.weight ? e.mul(y, *a.weight) : y;
}
static Value rmsNormOfMany(Emitter &e, const Arguments &a, double epsilon,
                           bool bySqrt) {
  Value square = e.rounded(e.mean(e.rounded(e.mul(a.x, a.x)), {1}));
  Value sum = e.rounded(e.add(square, e.scalar(epsilon)));
  Value scale = bySqrt ? e.div(e.scalar(1), e.rounded(e.unary("sqrt", sum)))
                       : e.unary("rsqrt", sum);
  Value y = e.rounded(e.mul(a.x, e.rounded(scale)));
  return a.weight ? e.mul(y, *a.weight) : y;
}
static Value rmsNormByRsqrt(Emitter &e, const Arguments &a, double epsilon) {
  return rmsNormOfMany(e, a, epsilon, false);
}
/// As PyTorch computes rsqrt on a CPU in 16 bits.
static Value rmsNormBySqrt(Emitter &e, const Arguments &a, double epsilon) {
  return rmsNormOfMany(e, a, epsilon, true);
}
static Value geluTanh(Emitter &e, const Arguments &a, double) {
  return e.gelu(a.x, true);
}
static Value geluErf(Emitter &e, const Arguments &a, double) {
  return e.gelu(a.x, false);
}
/// Activations in Python, each operator of which rounds in 16 bits.
static Value geluTanhOfMany(Emitter &e, const Arguments &a, double) {
  Value cube = e.rounded(e.mul(a.x, e.rounded(e.mul(a.x, a.x))));
  Value inner =
      e.rounded(e.add(a.x, e.rounded(e.mul(cube, e.scalar(0.044715)))));
  Value bent = e.rounded(e.unary(
      "tanh", e.rounded(e.mul(inner, e.scalar(std::sqrt(2 / M_PI))))));
  return e.mul(e.mul(a.x, e.scalar(0.5)),
               e.rounded(e.add(bent, e.scalar(1))));
}
static Value geluErfOfMany(Emitter &e, const Arguments &a, double) {
  Value bent = e.rounded(e.unary(
      "chlo.erf", e.rounded(e.mul(a.x, e.scalar(M_SQRT1_2)))));
  return e.mul(e.mul(a.x, e.scalar(0.5)),
               e.rounded(e.add(bent, e.scalar(1))));
}
static Value gatedOfMany(Emitter &e, const Arguments &a, double factor) {
  Value inner = e.rounded(e.mul(a.x, e.scalar(factor)));
  return e.mul(a.x, e.rounded(e.unary("logistic", inner)));
}
/// x * sigmoid(factor * x)
static Value gated(Emitter &e, const Arguments &a, double factor) {
  return formulas::gated(e.rules(), a.x, e.mul(a.x, e.scalar(factor)));
}
static Value relu(Emitter &e, const Arguments &a, double) {
  return e.binary("maximum", a.x, e.scalar(0));
}
static Value sigmoid(Emitter &e, const Arguments &a, double) {
  return e.unary("logistic", a.x);
}
static Value hyperbolicTangent(Emitter &e, const Arguments &a, double) {
  return e.unary("tanh", a.x);
}
static Value softmax(Emitter &e, const Arguments &a, double) {
  return formulas::softmaxForward(e.rules(), a.x, 1);
}
static Value embedding(Emitter &e, const Arguments &a, double) {
  return e.taken(*a.weight, 0, e.reshape(a.x, {a.x.size(0)}));
}
static Value identity(Emitter &, const Arguments &a, double) { return a.x; }

static constexpr Row kRows[] = {
    {"Linear", Row::Contains, Row::Matrix, "x W^T + b", linear, 0},
    {"LayerNorm", Row::Contains, Row::SameWidth, "layer norm", layerNorm, 1e-6,
     "eps"},
    {"LayerNorm", Row::Contains, Row::SameWidth, "layer norm", layerNorm, 1e-5,
     "eps"},
    {"LayerNorm", Row::Contains, Row::SameWidth, "layer norm", layerNorm, 1e-12,
     "eps"},
    {"LayerNorm", Row::Contains, Row::SameWidth, "layer norm", layerNorm, 1e-3,
     "eps"},
    {"RMSNorm", Row::Contains, Row::SameWidth, "rms norm", rmsNorm, 1e-6,
     "eps"},
    {"RMSNorm", Row::Contains, Row::SameWidth, "rms norm", rmsNorm, 1e-5,
     "eps"},
    {"RMSNorm", Row::Contains, Row::SameWidth, "rms norm", rmsNorm, 1e-8,
     "eps"},
    {"RMSNorm", Row::Contains, Row::SameWidth, "rms norm", rmsNorm, 0x1p-23,
     "eps"},
    {"RMSNorm", Row::Contains, Row::SameWidth, "rms norm", rmsNorm, 0x1p-52,
     "eps"},
    {"gelu", Row::ContainsAnyCase, Row::SameWidth, "gelu (tanh)", geluTanh, 0,
     "approximate", "tanh"},
    {"gelu", Row::ContainsAnyCase, Row::SameWidth, "gelu (erf)", geluErf, 0,
     "approximate", "none"},
    {"gelu", Row::ContainsAnyCase, Row::SameWidth, "gelu (sigmoid)", gated,
     1.702, "approximate", "sigmoid"},
    {"silu", Row::ContainsAnyCase, Row::SameWidth, "silu", gated, 1},
    {"relu", Row::EqualsAnyCase, Row::SameWidth, "relu", relu, 0},
    {"sigmoid", Row::EqualsAnyCase, Row::SameWidth, "sigmoid", sigmoid, 0},
    {"tanh", Row::EqualsAnyCase, Row::SameWidth, "tanh", hyperbolicTangent, 0},
    {"softmax", Row::EqualsAnyCase, Row::SameWidth, "softmax", softmax, 0},
    {"Embedding", Row::Contains, Row::Table, "row of the table", embedding, 0},
    {"Dropout", Row::StartsWith, Row::SameWidth, "identity", identity, 0},
    {"identity", Row::EqualsAnyCase, Row::SameWidth, "identity", identity, 0},
};

static bool matches(const Row &row, llvm::StringRef name) {
  switch (row.match) {
  case Row::Contains:
    return name.contains(row.className);
  case Row::ContainsAnyCase:
    return name.contains_insensitive(row.className);
  case Row::EqualsAnyCase:
    return name.equals_insensitive(row.className);
  case Row::StartsWith:
    return name.starts_with(row.className);
  }
  return false;
}

namespace {
/// How a call divides into rows.
struct Widths {
  int64_t in = 0, out = 0, rows = 0;
  friend bool operator==(const Widths &, const Widths &) = default;
};
} // namespace

static std::optional<Widths> widthsOf(const LeafCall &call) {
  if (!call.input.valid() || !call.output.valid() || call.input.size() == 0 ||
      call.output.size() == 0 || call.output.rank() == 0 ||
      !call.output.elementType().isFloat())
    return std::nullopt;
  Widths widths;
  widths.out = call.output.shape().back();
  widths.rows = call.output.size() / widths.out;
  if (call.input.size() % widths.rows != 0)
    return std::nullopt;
  widths.in = call.input.size() / widths.rows;
  return widths;
}

/// Whether the parameters fit the formula.
static bool fits(const Row &row, const LeafCall &call, const Widths &widths) {
  auto isVector = [&](const Tensor &tensor) {
    return !tensor.valid() || tensor.size() == widths.out;
  };
  if (!isVector(call.bias))
    return false;
  if (row.needs == Row::Matrix)
    return call.weight.valid() && call.weight.size() == widths.in * widths.out;
  if (row.needs == Row::Table)
    return widths.in == 1 && call.weight.valid() &&
           call.weight.size() % widths.out == 0 &&
           call.input.elementType().isInteger();
  return widths.in == widths.out && isVector(call.weight);
}

std::optional<double> epsilonOf(const llvm::json::Object *settings) {
  for (const char *name :
       {"eps", "variance_epsilon", "epsilon", "layer_norm_eps"})
    if (std::optional<double> value =
            settings ? settings->getNumber(name) : std::nullopt)
      return value;
  return std::nullopt;
}

/// The possible formulas of a call: only one where its settings determine it.
static std::vector<Candidate> candidatesOf(llvm::StringRef className,
                                           const LeafCall &call,
                                           const Widths &widths) {
  std::vector<Candidate> result;
  for (const Row &row : kRows) {
    if (!matches(row, className) || !fits(row, call, widths))
      continue;
    bool isEpsilon = llvm::StringRef(row.setting) == "eps";
    double option = row.option;
    if (isEpsilon)
      option = epsilonOf(call.settings).value_or(option);
    std::optional<llvm::StringRef> word =
        call.settings ? call.settings->getString(row.setting) : std::nullopt;
    bool otherWord = word && *word != row.value && !isEpsilon;
    bool again = llvm::any_of(result, [&](const Candidate &known) {
      return known.row->build == row.build && known.option == option;
    });
    if (otherWord || again)
      continue;
    std::string name = row.name;
    if (isEpsilon)
      name += llvm::formatv(", eps {0}", llvm::format("%.3g", option)).str();
    result.push_back({&row, option, std::move(name), row.build});
  }
  return result;
}

/// The largest and the total difference of a row, as keys that sort the largest
/// first.
struct RowDifference {
  double largest = 0, whole = 0;
};
static RowDifference differenceOf(llvm::ArrayRef<double> x,
                                  llvm::ArrayRef<double> y) {
  RowDifference result;
  for (size_t i = 0; i < x.size(); ++i) {
    double difference = std::fabs(x[i] - y[i]);
    if (std::isnan(difference))
      difference = HUGE_VAL;
    result.largest = std::max(result.largest, difference);
    result.whole += difference;
  }
  return result;
}

/// Which rows are computed: some evenly spaced, and those where the two sides
/// differ most, in one element or as a whole.
static std::vector<int64_t> chooseRows(const Tensor &target,
                                       const Tensor &bench,
                                       const Widths &widths, int64_t most) {
  std::vector<int64_t> chosen;
  if (widths.rows <= most) {
    chosen.resize(static_cast<size_t>(widths.rows));
    std::iota(chosen.begin(), chosen.end(), int64_t{0});
    return chosen;
  }
  int64_t even = 2 * most / 3;
  for (int64_t i = 0; i < even; ++i)
    chosen.push_back(i * widths.rows / even);
  std::vector<double> x = doublesOf(target), y = doublesOf(bench);
  std::vector<RowDifference> differences;
  std::vector<int64_t> order(static_cast<size_t>(widths.rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t r = 0; r < widths.rows; ++r) {
    auto part = [&](llvm::ArrayRef<double> all) {
      return all.slice(static_cast<size_t>(r * widths.out),
                       static_cast<size_t>(widths.out));
    };
    differences.push_back(differenceOf(part(x), part(y)));
  }
  for (double RowDifference::*key :
       {&RowDifference::largest, &RowDifference::whole}) {
    auto take = (most - even) / 2;
    std::partial_sort(order.begin(), order.begin() + take, order.end(),
                      [&](int64_t a, int64_t b) {
                        return differences[static_cast<size_t>(a)].*key >
                               differences[static_cast<size_t>(b)].*key;
                      });
    chosen.insert(chosen.end(), order.begin(), order.begin() + take);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

static tensor::Shape weightShape(Row::Needs needs, const Widths &widths,
                                 int64_t size) {
  if (needs == Row::Matrix)
    return {widths.out, widths.in};
  return needs == Row::Table ? tensor::Shape{size / widths.out, widths.out}
                             : tensor::Shape{widths.out};
}

static llvm::Expected<ReplaySide> sideOf(const LeafCall &call, Row::Needs needs,
                                         const Widths &widths,
                                         llvm::ArrayRef<int64_t> rows) {
  ReplaySide side;
  side.accumulation = call.accumulation;
  llvm::Expected<Tensor> input = rowsOf(call.input, widths.in, rows),
                         output = rowsOf(call.output, widths.out, rows);
  if (!input || !output)
    return llvm::joinErrors(input.takeError(), output.takeError());
  side.inputs.push_back(std::move(*input));
  side.output = std::move(*output);
  if (call.weight.valid())
    side.inputs.push_back(
        call.weight.reshaped(weightShape(needs, widths, call.weight.size())));
  if (call.bias.valid())
    side.inputs.push_back(call.bias.reshaped({widths.out}));
  return side;
}

static llvm::Expected<std::shared_ptr<const program::Program>>
programOf(const Candidate &formula, const ReplaySide &side, bool hasWeight,
          bool hasBias) {
  const Row &row = *formula.row;
  bool wide = llvm::any_of(side.inputs, [](const Tensor &tensor) {
    return aten::isF64(tensor.elementType());
  });
  Emitter e(aten::realFor(wide || aten::isF64(side.output.elementType())));
  e.keepStagesIn(side.output.elementType());
  auto argument = [&](size_t i) {
    return Value(e.ir().argument(side.inputs[i].type()));
  };
  Arguments arguments{argument(0), std::nullopt, std::nullopt};
  if (hasWeight)
    arguments.weight = argument(1);
  if (hasBias)
    arguments.bias = argument(1 + hasWeight);
  bool table = row.needs == Row::Table;
  arguments.x = e.widened(arguments.x);
  for (std::optional<Value> *parameter : {&arguments.weight, &arguments.bias})
    if (*parameter && !table)
      *parameter = e.widened(**parameter);
  Value y = formula.build(e, arguments, formula.option);
  y = e.convert(y, side.output.elementType());
  return e.ir().finish(y.handle, formula.name);
}

/// How many rows to compute: all of them up to this many products, which take a
/// fraction of a second.
static int64_t rowsToCompute(const Row &row, const Widths &widths,
                             bool everyRow) {
  constexpr int64_t kCheap = 1 << 26;
  int64_t each = row.needs == Row::Matrix ? widths.in * widths.out : widths.out;
  if (everyRow || widths.rows * each <= kCheap)
    return widths.rows;
  return row.needs == Row::Matrix ? 24 : 64;
}

/// A formula on a whole call.
static std::optional<Deviation> judgeCall(const Candidate &formula,
                                          const LeafCall &call) {
  const Row &row = *formula.row;
  std::optional<Widths> widths = widthsOf(call);
  if (!widths || !fits(row, call, *widths))
    return std::nullopt;
  std::vector<int64_t> rows(static_cast<size_t>(widths->rows));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  llvm::Expected<ReplaySide> side = sideOf(call, row.needs, *widths, rows);
  if (!side) {
    llvm::consumeError(side.takeError());
    return std::nullopt;
  }
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      programOf(formula, *side, call.weight.valid(), call.bias.valid());
  llvm::Expected<Deviation> found =
      program ? deviationOf(*program, 0, *side)
              : llvm::Expected<Deviation>(program.takeError());
  if (found)
    return *found;
  llvm::consumeError(found.takeError());
  return std::nullopt;
}

bool LeafVerdicts::isWrong(size_t rank) const {
  if (!ranks[rank])
    return false;
  ReplayResult result;
  result.targetOff = ranks[rank]->verdict.failures;
  result.targetShare = ranks[rank]->share();
  result.benchOff = bench ? bench->verdict.failures : 0;
  result.benchShare = bench ? bench->share() : 0;
  return result.targetWrong();
}

LeafVerdicts judgeLeaves(llvm::ArrayRef<LeafCall> ranks,
                         const LeafCall &bench) {
  LeafVerdicts best;
  best.ranks.resize(ranks.size());
  std::optional<std::pair<int64_t, int64_t>> fewest;
  for (const Row &row : kRows) {
    if (!matches(row, ranks.front().className))
      continue;
    LeafVerdicts found;
    int64_t failures = 0;
    bool some = false;
    Candidate formula{&row, row.option, row.name, row.build};
    for (const LeafCall &call : ranks) {
      found.ranks.push_back(judgeCall(formula, call));
      some |= found.ranks.back().has_value();
      failures += found.ranks.back() ? found.ranks.back()->verdict.failures : 0;
    }
    found.bench = judgeCall(formula, bench);
    std::pair<int64_t, int64_t> key{
        found.bench ? found.bench->verdict.failures : 0, failures};
    if (some && (!fewest || key < *fewest)) {
      fewest = key;
      best = std::move(found);
    }
  }
  if (best.bench &&
      1000 * best.bench->verdict.failures > best.bench->verdict.elements)
    best.ranks.assign(ranks.size(), std::nullopt);
  return best;
}

static std::optional<ReplayFormula>
formulaOf(const Candidate &theirs, const ReplaySide &benchSide,
          const LeafCall &bench, const Candidate &mine,
          const ReplaySide &targetSide, const LeafCall &target) {
  llvm::Expected<std::shared_ptr<const program::Program>>
      forBench = programOf(theirs, benchSide, bench.weight.valid(),
                           bench.bias.valid()),
      forTarget = programOf(mine, targetSide, target.weight.valid(),
                            target.bias.valid());
  if (forBench && forTarget)
    return ReplayFormula{theirs.name, *forBench, *forTarget, 0, {}};
  llvm::consumeError(
      llvm::joinErrors(forBench.takeError(), forTarget.takeError()));
  return std::nullopt;
}

/// The form of several operators that is nearer to a side's output than the
/// single operator; nullopt: none is nearer.
static std::optional<Build>
formOfSeveral(Candidate formula, const ReplaySide &side, const LeafCall &call) {
  auto distance = [&](Build build) {
    formula.build = build;
    llvm::Expected<std::shared_ptr<const program::Program>> program =
        programOf(formula, side, call.weight.valid(), call.bias.valid());
    llvm::Expected<Deviation> found =
        program ? deviationOf(*program, 0, side, /*rough=*/true)
                : llvm::Expected<Deviation>(program.takeError());
    if (found)
      return found->relativeL2;
    llvm::consumeError(found.takeError());
    return HUGE_VAL;
  };
  std::vector<Build> forms;
  if (formula.build == linear)
    forms = {linearOfOne, linear};
  else if (formula.build == rmsNorm)
    forms = {rmsNorm, rmsNormOfTwo, rmsNormByRsqrt, rmsNormBySqrt};
  else if (formula.build == geluTanh)
    forms = {geluTanh, geluTanhOfMany};
  else if (formula.build == geluErf)
    forms = {geluErf, geluErfOfMany};
  else if (formula.build == gated)
    forms = {gated, gatedOfMany};
  std::optional<Build> nearest;
  double least = forms.empty() ? 0 : distance(forms.front());
  for (Build form : llvm::ArrayRef(forms).drop_front(forms.empty() ? 0 : 1))
    if (double d = distance(form); d < least) {
      least = d;
      nearest = form;
    }
  return nearest;
}

/// Whether a class has PyTorch's own name: in wider types, where no form is nearer,
/// others may be of several operators.
static bool isOneOperator(const Row &row, llvm::StringRef className) {
  return row.needs != Row::SameWidth ||
         className.equals_insensitive(row.className);
}

std::optional<ReplayResult> replayLeaf(const LeafCall &target,
                                       const LeafCall &bench, bool everyRow) {
  std::optional<Widths> widths = widthsOf(bench);
  if (!widths || widthsOf(target) != widths)
    return std::nullopt;
  std::vector<Candidate> mine = candidatesOf(bench.className, target, *widths),
                         theirs = candidatesOf(bench.className, bench, *widths);
  if (mine.empty() || theirs.empty())
    return std::nullopt;
  const Row &first = *theirs.front().row;
  std::vector<int64_t> chosen =
      chooseRows(target.output, bench.output, *widths,
                 rowsToCompute(first, *widths, everyRow));
  llvm::Expected<ReplaySide> targetSide =
                                 sideOf(target, first.needs, *widths, chosen),
                             benchSide =
                                 sideOf(bench, first.needs, *widths, chosen);
  if (!targetSide || !benchSide) {
    llvm::consumeError(
        llvm::joinErrors(targetSide.takeError(), benchSide.takeError()));
    return std::nullopt;
  }
  bool isWide = bench.output.elementType().bits >= 32;
  bool isNarrow = !isWide || target.output.elementType().bits < 32;
  auto replayed = [&](bool ofSeveral) -> std::optional<ReplayResult> {
    std::vector<ReplayFormula> formulas;
    for (Candidate formula : theirs) {
      Candidate own = mine.size() == 1 ? mine.front() : formula;
      if (ofSeveral && isNarrow) {
        // A wide bench shows no roundings: the target's own form then.
        std::optional<Build> form =
            isWide ? formOfSeveral(own, *targetSide, target)
                   : formOfSeveral(formula, *benchSide, bench);
        if (!form)
          continue;
        own.build = *form;
        if (!isWide)
          formula.build = *form;
      }
      if (auto made =
              formulaOf(formula, *benchSide, bench, own, *targetSide, target)) {
        made->roundings = ofSeveral ? kOtherRounding : 1;
        formulas.push_back(std::move(*made));
      }
    }
    if (formulas.empty())
      return std::nullopt;
    return replay(formulas, *targetSide, *benchSide, 0.001);
  };
  std::optional<ReplayResult> result = replayed(/*ofSeveral=*/false);
  bool maySplit = isNarrow ? !result || result->targetWrong()
                           : result && result->targetWrong() &&
                                 !isOneOperator(first, bench.className);
  if (maySplit)
    if (std::optional<ReplayResult> again = replayed(/*ofSeveral=*/true);
        again && (isNarrow || !again->targetWrong()))
      return again;
  return result;
}

} // namespace assay::trace
