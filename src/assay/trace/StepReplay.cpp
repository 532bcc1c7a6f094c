// A step's program and its tensors. The arguments of an operator's call are
// read from the side's own description; the other side's shows whether both had
// the same arguments.
#include "assay/trace/StepReplay.h"
#include "assay/trace/ModuleOperators.h"
#include "assay/trace/ReplayAttention.h"
#include "assay/trace/Ties.h"
#include "assay/trace/Values.h"

#include <cmath>

namespace assay::trace {

using formats::Hdf5Reader;
using tensor::Tensor;

/// The parameter that a gradient belongs to; empty: it belongs to an input.
static llvm::StringRef parameterOf(const DumpName &name) {
  return name.kind == TensorKind::ParamsGrad ? llvm::StringRef(name.item)
         : name.kind == TensorKind::BackwardGradInput ? givenParameter(name)
                                                      : llvm::StringRef();
}

Tensor StepReplay::read(size_t index, bool ofTarget) const {
  const AlignedPair &pair = row(index).pair;
  const Hdf5Reader &file = ofTarget ? target_ : bench_;
  int64_t dataset = ofTarget ? pair.target : pair.bench;
  if (dataset < 0)
    return {};
  llvm::Expected<Tensor> tensor =
      file.readTensor(file.datasets()[static_cast<size_t>(dataset)]);
  bool isCut = pair.part && pair.part->ofTarget == ofTarget;
  llvm::Expected<Tensor> part =
      tensor && isCut ? Tensor::allocate({tensor->elementType(),
                                          pair.part->shapeOf(tensor->shape())})
                      : llvm::Expected<Tensor>(Tensor());
  if (!tensor || !part) {
    llvm::consumeError(llvm::joinErrors(tensor.takeError(), part.takeError()));
    return {};
  }
  if (!isCut)
    return *tensor;
  pair.part->cut(tensor->shape(), tensor->elementType().storageBytes(),
                 tensor->bytes(), part->mutableBytes());
  return *part;
}

/// Whether a side's floats have 16 bits and fewer.
bool StepReplay::isNarrow(size_t index) const {
  for (const AlignItem *item : {&comparison_.item(row(index), true),
                                &comparison_.item(row(index), false)})
    if (item->type.element.isFloat() && item->type.element.bits < 32)
      return true;
  return false;
}

/// Whether two rows of a group belong to one part.
bool StepReplay::isOfPart(size_t index, size_t other) const {
  const std::optional<TensorPart> &x = row(index).pair.part,
                                  &y = row(other).pair.part;
  return !x || !y || x->number == y->number;
}

/// The row of the tensor that a gradient belongs to.
std::optional<size_t> StepReplay::forwardOf(size_t index) const {
  DumpName wanted = name(index);
  bool ofOutput = wanted.kind == TensorKind::BackwardGradOutput;
  if (!ofOutput && wanted.kind != TensorKind::BackwardGradInput)
    return std::nullopt;
  wanted.kind = ofOutput ? TensorKind::ForwardOutput : TensorKind::ForwardInput;
  return named(wanted);
}

/// The row of the result of the call that an input belongs to.
std::optional<size_t> StepReplay::resultOf(size_t input) const {
  DumpName wanted = name(input);
  wanted.kind = TensorKind::ForwardOutput;
  wanted.item = "0";
  return named(wanted);
}

std::optional<size_t> StepReplay::named(const DumpName &wanted) const {
  for (size_t i = 0; i < comparison_.rows.size(); ++i)
    if (row(i).pair.target >= 0 && row(i).compared &&
        name(i).kind == wanted.kind && name(i).dataset() == wanted.dataset())
      return i;
  return std::nullopt;
}

bool StepReplay::turnsOnTies(const ModelStep &step, double explained) const {
  std::optional<size_t> forward = forwardOf(step.row);
  if (!forward || !row(step.row).type.isFloat() || row(step.row).samples)
    return false;
  Ties ties;
  for (bool ofTarget : {false, true}) {
    Tensor gradient = read(step.row, ofTarget),
           value = read(*forward, ofTarget);
    if (!gradient.valid() || !value.valid() || gradient.size() == 0 ||
        gradient.shape() != value.shape() || !value.elementType().isFloat())
      return false;
    ties.gradient[ofTarget] = doublesOf(gradient);
    ties.value[ofTarget] = doublesOf(value);
  }
  return ties.gradient[0].size() == ties.gradient[1].size() &&
         ties.decide(explained);
}

std::string StepReplay::otherArguments(const ModelStep &step) const {
  const DumpName &mine = name(step.row), &theirs = benchName(step.row);
  if (!isNumbered(mine.module)) {
    bool sameNames = mine.module == theirs.module;
    if (step.leaf || sameNames)
      return targetSettings_.differenceFrom(
          step.module, benchSettings_, step.leaf ? theirs.module : step.module);
    return "";
  }
  if (!operators_.target || !operators_.bench)
    return "";
  return operators_.target->differenceFrom(mine, *operators_.bench, theirs);
}

/// The program of each side's own call; nullopt where one has none. `asked`:
/// the target's program is that of the bench's call.
std::optional<ReplayFormula> StepReplay::formulaOf(const ModelStep &step,
                                                   Stages stages,
                                                   bool asked) const {
  auto programOf = [&](const Operators *own,
                       const DumpName &name) -> std::optional<AtenProgram> {
    llvm::Expected<AtenProgram> program = own->program(name, stages);
    if (program)
      return std::move(*program);
    llvm::consumeError(program.takeError());
    return std::nullopt;
  };
  const DumpName &mine = name(step.row), &theirs = benchName(step.row);
  std::optional<AtenProgram> bench = operators_.bench
                                         ? programOf(operators_.bench, theirs)
                                         : programOf(operators_.target, mine);
  if (!bench)
    return std::nullopt;
  size_t output = 0;
  auto result = llvm::StringRef(mine.item).getAsInteger(10, output)
                    ? bench->outputs.end()
                    : llvm::find(bench->outputs, output);
  if (result == bench->outputs.end())
    return std::nullopt;
  ReplayFormula formula{"what the operator gives", bench->program, nullptr,
                        static_cast<size_t>(result - bench->outputs.begin())};
  formula.inputs = bench->inputs;
  formula.anyOfTies = !llvm::StringRef(mine.className).contains("stable");
  if (operators_.target && operators_.bench) {
    llvm::Expected<AtenProgram> own =
        asked ? operators_.target->programAskedBy(*operators_.bench, theirs,
                                                  mine, stages)
              : operators_.target->program(mine, stages);
    if (!own)
      llvm::consumeError(own.takeError());
    else if (own->outputs == bench->outputs && own->inputs == bench->inputs)
      formula.targetProgram = own->program;
    else if (!asked) // a bias that one side has: no formula serves both calls
      return std::nullopt;
  }
  return formula;
}

bool StepReplay::gatherInputs(const ModelStep &step, const AtenProgram &program,
                              bool ofTarget, ReplaySide &side) const {
  for (const std::string &place : program.inputs) {
    auto source = llvm::find_if(
        step.sources, [&](size_t i) { return name(i).item == place; });
    if (source == step.sources.end())
      return false;
    side.inputs.push_back(read(*source, ofTarget));
    if (!side.inputs.back().valid())
      return false;
  }
  side.output = read(step.row, ofTarget);
  return side.output.valid();
}

/// A recorded operator call, run again.
std::optional<ReplayResult> StepReplay::call(const ModelStep &step) const {
  if (!step.leaf || name(step.row).kind != TensorKind::ForwardOutput)
    return std::nullopt;
  std::optional<ReplayFormula> rounded =
      formulaOf(step, Stages::Rounded, /*asked=*/false);
  if (!rounded)
    return std::nullopt;
  ReplaySide target, bench;
  target.accumulation = operators_.accumulation;
  AtenProgram places;
  places.inputs = rounded->inputs;
  if (!gatherInputs(step, places, true, target) ||
      !gatherInputs(step, places, false, bench))
    return std::nullopt;
  std::optional<ReplayResult> result =
      trace::replay(*rounded, target, bench, 0.1);
  size_t output = 0; // a number: it has a formula
  llvm::StringRef(name(step.row).item).getAsInteger(10, output);
  bool anyNarrow = isNarrow(step.row) ||
                   llvm::any_of(step.sources, [&](size_t source) {
                     return isNarrow(source); // as under autocast
                   });
  if (anyNarrow &&
      (!result || result->benchOff > 0 ||
       (sumsInType(name(step.row).className, output) && result->targetWrong())))
    if (std::optional<ReplayFormula> narrow =
            formulaOf(step, Stages::Narrow, /*asked=*/false))
      result = trace::replay({std::move(*rounded), std::move(*narrow)}, target,
                             bench, 0.1);
  if (!result || result->targetWrong())
    return result;
  std::string others = otherArguments(step);
  if (others.empty())
    return result;
  std::optional<ReplayFormula> asked =
      formulaOf(step, Stages::Rounded, /*asked=*/true);
  std::optional<ReplayResult> byBench =
      asked ? trace::replay(*asked, target, bench, 0.1) : std::nullopt;
  if (byBench && byBench->targetWrong())
    result->calledWith = std::move(others);
  return result;
}

/// Code between modules: attention from the last projections before it.
std::optional<ReplayResult> StepReplay::between(const ModelStep &step) const {
  std::vector<size_t> outputs, others;
  for (size_t source : step.sources)
    (name(source).kind == TensorKind::ForwardOutput ? outputs : others)
        .push_back(source);
  if (outputs.empty())
    return std::nullopt;
  auto widthOf = [&](size_t source) {
    const tensor::Shape &shape =
        comparison_.item(row(source), false).type.shape;
    return shape.empty() ? 0 : shape.back();
  };
  bool joint = widthOf(outputs.back()) == 3 * widthOf(step.row);
  size_t count = joint ? 1 : 3;
  if (outputs.size() < count ||
      (!joint && widthOf(outputs[outputs.size() - 3]) != widthOf(step.row)))
    return std::nullopt;
  AttentionCall target, bench;
  for (size_t i = outputs.size() - count; i < outputs.size(); ++i) {
    target.projections.push_back(read(outputs[i], true));
    bench.projections.push_back(read(outputs[i], false));
  }
  constexpr int64_t kSmall = 1 << 20; // bytes of angles or bounds
  // Each input is tried as angles, alone and in a pair with each other one; only the last
  // few are tried, because a recurrent model has hundreds of inputs of other calls.
  constexpr size_t kMostOthers = 8;
  for (size_t i : llvm::ArrayRef(others).take_back(kMostOthers)) {
    const auto &dataset =
        target_.datasets()[static_cast<size_t>(row(i).pair.target)];
    if (dataset.sizeBytes > kSmall)
      continue;
    target.others.push_back(read(i, true));
    bench.others.push_back(read(i, false));
  }
  target.output = read(step.row, true);
  bench.output = read(step.row, false);
  return replayAttention(target, bench);
}

/// The parameters and settings of a leaf's call on both sides; `input` is its
/// first.
void StepReplay::loadLeaf(const ModelStep &step, size_t input, LeafCall &target,
                          LeafCall &bench) const {
  target.accumulation = operators_.accumulation;
  target.className = step.className;
  bench.className = benchName(step.row).className;
  auto load = [&](size_t index, Tensor LeafCall::*member) {
    target.*member = read(index, true);
    bool equal = row(index).compared && row(index).mismatches == 0 &&
                 !row(index).samples && !row(index).pair.part;
    bench.*member = equal ? target.*member : read(index, false);
  };
  static constexpr std::pair<const char *, Tensor LeafCall::*> kMembers[] = {
      {"weight", &LeafCall::weight},
      {"bias", &LeafCall::bias},
      {"running_mean", &LeafCall::mean},
      {"running_var", &LeafCall::variance}};
  // A module of another class may keep its parameters in another form.
  bool sameClass = target.className == bench.className;
  for (size_t parameter : step.parameters) // recorded with the first call only
    for (const auto &[item, member] : kMembers)
      if (isOfPart(parameter, step.row) && name(parameter).item == item &&
          (sameClass || row(parameter).status != RowStatus::Fail))
        load(parameter, member);
  for (size_t source : step.sources) // instead of its own parameters
    for (const auto &[item, member] : kMembers)
      if (givenParameter(name(source)) == item)
        load(source, member);
  load(input, &LeafCall::input);
  load(step.row, &LeafCall::output);
  target.settings = targetSettings_.of(name(step.row).module);
  bench.settings = benchSettings_.of(benchName(step.row).module);
}

/// A module's replay, and again under autocast (`cast`: whether a side is another call
/// then) where the call as it was recorded does not explain the bench or the target.
static std::optional<ReplayResult>
asItRan(llvm::function_ref<std::optional<ReplayResult>()> replay,
        llvm::function_ref<bool()> cast) {
  std::optional<ReplayResult> result = replay();
  if ((result && !result->targetWrong()) || !cast())
    return result;
  std::optional<ReplayResult> again = replay();
  return again && (!result || !again->targetWrong()) ? again : result;
}

std::optional<ReplayResult> StepReplay::leaf(const ModelStep &step,
                                             bool everyRow) const {
  LeafCall target, bench;
  loadLeaf(step, step.sources.front(), target, bench);
  auto replayed = [&] {
    std::optional<ReplayResult> result = replayLeaf(target, bench, everyRow);
    auto inputs = llvm::count_if(step.sources, [&](size_t source) {
      return givenParameter(name(source)).empty();
    });
    if (!result && inputs == 1)
      result =
          replayAsOperator(operatorOf(bench.className, target), target.output,
                           operatorOf(bench.className, bench), bench.output,
                           operators_.accumulation);
    return result;
  };
  std::optional<ReplayResult> result = asItRan(replayed, [&] {
    bool some = false;
    for (LeafCall *call : {&target, &bench})
      some |= castToNarrowest({&call->input, &call->weight, &call->bias},
                              call->output);
    return some;
  });
  std::string others = result ? otherArguments(step) : "";
  if (others.empty() || result->targetWrong())
    return result;
  target.settings = bench.settings;
  std::optional<ReplayResult> byBench = replayed();
  if (byBench && byBench->targetWrong())
    result->calledWith = std::move(others);
  return result;
}

static Tensor asRows(const Tensor &tensor) {
  if (!tensor.valid() || tensor.rank() == 0 || tensor.size() == 0)
    return tensor;
  int64_t width = tensor.shape().back();
  return tensor.reshaped({tensor.size() / width, width});
}

/// A module's gradient of its input: for 16-bit types, where the rule detects
/// little, and for wide types where these are included. For a convolution that
/// was called once, the gradients of its input and weight.
std::optional<ReplayResult>
StepReplay::gradientOfCall(const ModelStep &step) const {
  std::vector<size_t> inputs, gradients;
  for (size_t source : step.sources)
    if (givenParameter(name(source)).empty())
      (name(source).kind == TensorKind::ForwardInput ? inputs : gradients)
          .push_back(source);
  llvm::StringRef parameter = parameterOf(name(step.row));
  bool byRows = llvm::StringRef(step.className).contains("Linear");
  bool convolves = llvm::StringRef(step.className).starts_with("Conv");
  bool fits = convolves ? parameter.empty() || parameter == "weight"
                        : parameter.empty() &&
                              (isNarrow(step.row) || (wideGradients_ && !byRows));
  if (inputs.size() != 1 || gradients.size() != 1 || !fits)
    return std::nullopt;
  LeafCall calls[2]; // [1]: of the target
  loadLeaf(step, inputs.front(), calls[1], calls[0]);
  std::optional<size_t> result;
  if (isGradientOfResult(calls[0].className))
    result = resultOf(inputs.front());
  Tensor given[2];
  for (bool ofTarget : {false, true}) {
    LeafCall &call = calls[ofTarget];
    given[ofTarget] = read(gradients.front(), ofTarget);
    if (byRows) {
      call.output = asRows(call.output);
      given[ofTarget] = asRows(given[ofTarget]);
    }
    if (result)
      call.result = read(*result, ofTarget);
    call.className = calls[0].className;
  }
  auto cast = [&](LeafCall &call, Tensor &gradient) {
    return castToNarrowest(
        {&call.input, &call.weight, &call.bias, &call.result, &gradient},
        call.output);
  };
  return asItRan(
      [&] {
        std::optional<ModuleCallTrace> made[2];
        for (bool ofTarget : {false, true})
          made[ofTarget] = gradientOf(calls[ofTarget], given[ofTarget],
                                      parameter.empty() ? 0 : 1);
        return replayAsOperator(made[1], calls[1].output, made[0],
                                calls[0].output, operators_.accumulation);
      },
      [&] {
        bool ofBench = cast(calls[0], given[0]);
        return cast(calls[1], given[1]) || ofBench;
      });
}

void StepReplay::findLoneCalls() {
  for (const ComparedRow &row : comparison_.rows) {
    bool ofTarget = row.pair.target >= 0;
    if (ofTarget && row.pair.bench >= 0)
      continue;
    const DumpName &own = comparison_.item(row).name;
    if (own.kind == TensorKind::BackwardGradOutput)
      loneCalls_[ofTarget].insert({own.step, own.module});
  }
}

/// A parameter's gradient, from the inputs and the output gradients of all
/// calls.
std::optional<ReplayResult> StepReplay::gradient(const ModelStep &step) const {
  const DumpName &mine = name(step.row), &theirs = benchName(step.row);
  if (loneCalls_[1].count({mine.step, mine.module}) ||
      loneCalls_[0].count({theirs.step, theirs.module}))
    return std::nullopt;
  GradientCall target, bench;
  target.className = bench.className = step.className;
  target.parameter = bench.parameter = parameterOf(name(step.row)).str();
  for (size_t source : step.sources) {
    TensorKind kind = name(source).kind;
    bool first = name(source).item == "0";
    auto member = kind == TensorKind::BackwardGradOutput
                      ? &GradientCall::gradients
                      : &GradientCall::inputs;
    if (!first || !isOfPart(source, step.row))
      continue;
    (target.*member).push_back(read(source, true));
    (bench.*member).push_back(read(source, false));
  }
  target.output = read(step.row, true);
  bench.output = read(step.row, false);
  target.settings = targetSettings_.of(name(step.row).module);
  bench.settings = benchSettings_.of(benchName(step.row).module);
  return replayGradient(target, bench);
}

std::optional<ReplayResult> StepReplay::operator()(const ModelStep &step,
                                                   bool everyRow) const {
  if (!step.leaf && !step.sources.empty())
    return between(step);
  if (!step.leaf || step.sources.empty())
    return std::nullopt;
  if (isNumbered(name(step.row).module) &&
      (operators_.target || operators_.bench))
    if (std::optional<ReplayResult> replayed = call(step))
      return replayed;
  if (name(step.row).kind == TensorKind::ParamsGrad ||
      name(step.row).kind == TensorKind::BackwardGradInput)
    if (std::optional<ReplayResult> replayed = gradientOfCall(step))
      return replayed;
  if (!parameterOf(name(step.row)).empty())
    return gradient(step);
  if (name(step.row).kind != TensorKind::ForwardOutput)
    return std::nullopt;
  return leaf(step, everyRow);
}

} // namespace assay::trace
