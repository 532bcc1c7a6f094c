// Gradients of a module's parameters as programs of the inputs and gradients of
// all its calls: sums over rows, with bounds from the sum of absolute terms.
// Images are [batch, channel, place]; rows are [row, channel, 1].
#include "assay/trace/ModulePrograms.h"
#include "assay/trace/Values.h"
#include "assay/trace/aten/Emitter.h"

#include <cmath>
#include <cstring>

namespace assay::trace {

using aten::Emitter;
using aten::Value;
using tensor::Tensor;

namespace {
/// The gradient of one parameter; x is invalid where it does not need it.
struct GradientRow {
  const char *classPart, *parameter;
  bool channelsFirst, needsInput;
  Value (*build)(Emitter &, const Value &g, const Value &x, double option);
  double option;
  bool byCall = false; ///< an error that all elements of a call share is judged
                       ///< for each call
};
} // namespace

/// The rows of more calls are summed together, since each call makes the
/// program longer.
static constexpr size_t kMostCalls = 128;

static Value sumOf(Emitter &e, const Value &g, const Value &, double) {
  return e.sum(g, {0, 2});
}
static Value product(Emitter &e, const Value &g, const Value &x, double) {
  return e.dot(g, x, {}, {}, {0, 2}, {0, 2});
}
static Value ofRowNorm(Emitter &e, const Value &g, const Value &x,
                       double epsilon) {
  return e.sum(e.mul(g, e.normalized(x, {1}, epsilon).out), {0, 2});
}
static Value ofBatchNorm(Emitter &e, const Value &g, const Value &x,
                         double epsilon) {
  return e.sum(e.mul(g, e.normalized(x, {0, 2}, epsilon).out), {0, 2});
}
static Value ofRmsNorm(Emitter &e, const Value &g, const Value &x,
                       double epsilon) {
  return e.sum(e.mul(g, e.rmsNormalized(x, {1}, epsilon)), {0, 2});
}

static constexpr GradientRow kGradients[] = {
    {"Linear", "bias", false, false, sumOf, 0},
    {"Linear", "weight", false, true, product, 0},
    {"LayerNorm", "bias", false, false, sumOf, 0},
    {"LayerNorm", "weight", false, true, ofRowNorm, 1e-5},
    {"LayerNorm", "weight", false, true, ofRowNorm, 1e-6},
    {"LayerNorm", "weight", false, true, ofRowNorm, 1e-12},
    {"LayerNorm", "weight", false, true, ofRowNorm, 1e-3},
    {"RMSNorm", "weight", false, true, ofRmsNorm, 1e-6},
    {"RMSNorm", "weight", false, true, ofRmsNorm, 1e-5},
    {"RMSNorm", "weight", false, true, ofRmsNorm, 1e-8},
    {"RMSNorm", "weight", false, true, ofRmsNorm, 0x1p-23},
    {"RMSNorm", "weight", false, true, ofRmsNorm, 0x1p-52},
    {"Conv", "bias", true, false, sumOf, 0},
    {"GroupNorm", "bias", true, false, sumOf, 0},
    {"BatchNorm", "bias", true, false, sumOf, 0},
    {"BatchNorm", "weight", true, true, ofBatchNorm, 1e-5, true},
    {"BatchNorm", "weight", true, true, ofBatchNorm, 1e-3, true},
};

/// The tensors of all calls as one [n, channels, places]; invalid where they do
/// not divide evenly.
static Tensor stacked(llvm::ArrayRef<Tensor> tensors, bool channelsFirst,
                      int64_t channels) {
  int64_t places = 1, count = 0;
  for (const Tensor &t : tensors) {
    if (!t.valid() || t.size() == 0 ||
        !(t.elementType() == tensors.front().elementType()))
      return {};
    int64_t size = 1;
    if (channelsFirst) {
      if (t.rank() < 2 || t.shape()[1] != channels)
        return {};
      for (int64_t i = 2; i < t.rank(); ++i)
        size *= t.shape()[static_cast<size_t>(i)];
    }
    bool divides = t.size() % (channels * size) == 0;
    if (!divides || (count > 0 && size != places))
      return {};
    places = size;
    count += t.size() / (channels * size);
  }
  if (count == 0)
    return {};
  llvm::Expected<Tensor> result = Tensor::allocate(
      {tensors.front().elementType(), {count, channels, places}});
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  std::byte *out = result->mutableBytes();
  for (const Tensor &t : tensors) {
    auto bytes = static_cast<size_t>(t.size() * t.elementType().storageBytes());
    std::memcpy(out, t.bytes(), bytes);
    out += bytes;
  }
  return *result;
}

static std::optional<ReplaySide> sideOf(const GradientRow &row,
                                        const GradientCall &call) {
  if (!call.output.valid() || call.output.rank() == 0)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = call.output.shape();
  bool matrix = row.build == product;
  if (matrix && shape.size() != 2)
    return std::nullopt;
  int64_t channels = matrix ? shape[0] : call.output.size();
  ReplaySide side;
  auto add = [&](llvm::ArrayRef<Tensor> gradients,
                 llvm::ArrayRef<Tensor> inputs) {
    side.inputs.push_back(stacked(gradients, row.channelsFirst, channels));
    if (row.needsInput)
      side.inputs.push_back(
          stacked(inputs, row.channelsFirst, matrix ? shape[1] : channels));
  };
  bool paired = call.inputs.size() == call.gradients.size();
  if (row.byCall && !paired)
    return std::nullopt;
  // A gradient is added up call by call, in its type, from the last call to the
  // first.
  bool byCall = row.byCall || (paired && call.gradients.size() <= kMostCalls);
  for (size_t i = call.gradients.size(); byCall && i-- > 0;)
    add(call.gradients[i], call.inputs[i]);
  if (!byCall)
    add(call.gradients, call.inputs);
  size_t each = row.needsInput ? 2 : 1;
  for (size_t i = 0; i < side.inputs.size(); ++i)
    if (!side.inputs[i].valid() ||
        side.inputs[i].shape()[0] != side.inputs[i / each * each].shape()[0])
      return std::nullopt;
  side.output = call.output;
  return side;
}

/// The type that the gradient may be rounded to: its own, or under autocast that
/// of what it is made of.
static numerics::ElementType narrowest(const ReplaySide &side) {
  numerics::ElementType type = side.output.elementType();
  for (const Tensor &tensor : side.inputs)
    if (tensor.elementType().bits < type.bits)
      type = tensor.elementType();
  return type;
}

static std::shared_ptr<const program::Program>
programOf(const GradientRow &row, const ReplaySide &side, double option,
          bool narrow) {
  bool wide = aten::isF64(side.output.elementType());
  for (const Tensor &tensor : side.inputs)
    wide |= aten::isF64(tensor.elementType());
  Emitter e(aten::realFor(wide));
  e.keepStagesIn(narrowest(side));
  if (narrow)
    e.keepSumsIn(narrowest(side));
  std::vector<Value> values;
  for (const Tensor &tensor : side.inputs)
    values.push_back(e.widened(Value(e.ir().argument(tensor.type()))));
  size_t each = row.needsInput ? 2 : 1;
  std::optional<Value> y;
  for (size_t i = 0; i < values.size(); i += each) {
    Value of = row.build(e, values[i], values[i + each - 1], option);
    if (values.size() > each)
      of = e.rounded(of);
    y = y ? e.rounded(e.add(*y, of)) : of;
  }
  if (!y)
    return nullptr;
  y = e.reshape(e.convert(e.rounded(*y), side.output.elementType()), side.output.shape());
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      e.ir().finish(y->handle, "the gradient of its parameter");
  if (program)
    return *program;
  llvm::consumeError(program.takeError());
  return nullptr;
}

/// The epsilon of the side's own settings, else that of the row.
static double optionOf(const GradientRow &row, const GradientCall &call) {
  return row.option != 0 ? epsilonOf(call.settings).value_or(row.option) : 0;
}

/// The factor on a gradient's bound: where it was added up over calls, each sum
/// may be rounded to the other side. The bound for more calls together is 6
/// sqrt(n) roundings, while 3 n roundings may go to one side.
static double roundingsOf(size_t calls) {
  return calls < 2             ? 1
         : calls <= kMostCalls ? kOtherRounding
                               : std::sqrt(static_cast<double>(calls)) / 2;
}

std::optional<ReplayResult> replayGradient(const GradientCall &target,
                                           const GradientCall &bench) {
  std::vector<ReplayFormula> formulas;
  std::optional<ReplaySide> mine, theirs;
  for (const GradientRow &row : kGradients) {
    if (!llvm::StringRef(bench.className).contains(row.classPart) ||
        bench.parameter != row.parameter)
      continue;
    mine = sideOf(row, target);
    theirs = sideOf(row, bench);
    if (!mine || !theirs)
      return std::nullopt;
    for (ReplaySide *side : {&*mine, &*theirs}) {
      std::vector<Tensor *> operands;
      for (Tensor &tensor : side->inputs)
        operands.push_back(&tensor);
      castToNarrowest(operands, side->output);
    }
    bool sums16 = std::min(narrowest(*mine).bits, narrowest(*theirs).bits) < 32;
    for (bool narrow : {false, true})
      if (!narrow || sums16)
        if (auto forBench =
                programOf(row, *theirs, optionOf(row, bench), narrow)) {
          auto forTarget = programOf(row, *mine, optionOf(row, target), narrow);
          formulas.push_back(
              {"the sum over its rows", forBench, forTarget, 0, {}});
          formulas.back().roundings = roundingsOf(bench.gradients.size());
        }
  }
  if (formulas.empty())
    return std::nullopt;
  return replay(formulas, *mine, *theirs, 0.001);
}

} // namespace assay::trace
