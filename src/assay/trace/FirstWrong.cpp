// First wrong: steps (Steps.h) are judged in the order of execution by what
// their own inputs explain. Hard evidence (a replay, the rule, a NaN, a shape)
// outranks mere growth of the error; within a rank the earliest step is the
// culprit, since what follows it inherits its error through its inputs.
#include "assay/trace/FirstWrong.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/ModulePrograms.h"
#include "assay/trace/ReplayAttention.h"
#include "assay/trace/Steps.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

namespace assay::trace {

using tensor::Hdf5Reader;
using tensor::Tensor;

// docs/dumps.md derives these and says what they misjudge.
static constexpr double kGain =
    1.5; // error that a step may make of its inputs'
static constexpr double kRoundings =
    1.2; // and what it may add, in units of its type's rounding, where sums are
         // kept in a wider type
static constexpr double kSumRoundings =
    16; // and where they are kept in the type itself

namespace {
class Judge {
public:
  Judge(const Comparison &comparison, const Hdf5Reader &target,
        const Hdf5Reader &bench, ThreadPool &pool,
        const SideOperators &operators)
      : comparison_(comparison), target_(target), bench_(bench), pool_(pool),
        operators_(operators) {}
  llvm::Expected<FirstWrong> run();
  /// The verdicts by bounds: rows with what they become.
  struct Bounded {
    size_t row;
    bool passes;
    std::string reason;
    double worstFraction;
  };
  std::vector<Bounded> byBounds();

private:
  const ComparedRow &row(size_t index) const { return comparison_.rows[index]; }
  const DumpName &name(size_t index) const {
    return comparison_.target[static_cast<size_t>(row(index).pair.target)].name;
  }
  const DumpName &benchName(size_t index) const {
    return comparison_.bench[static_cast<size_t>(row(index).pair.bench)].name;
  }
  llvm::Expected<AtenProgram> programOf(size_t index, Stages stages) const;
  std::optional<ReplayFormula> formulaOf(const ModelStep &step, Stages stages,
                                         const AtenProgram &program,
                                         bool otherTypes) const;
  std::string moduleAround(size_t index) const;
  llvm::StringRef sourceOf(size_t index) const;
  std::string whereIs(size_t index) const;
  std::string roleOf(const ModelStep &step) const;
  double rounding(size_t index) const;
  double score(const ModelStep &step) const;
  std::optional<Suspect> judge(const ModelStep &step);
  std::optional<Suspect> hardEvidence(const ModelStep &step) const;
  std::optional<Suspect> byGrowth(const ModelStep &step, double growth);
  bool wantsReplay(const ModelStep &step) const;
  void replayAll();
  const std::optional<ReplayResult> &replay(const ModelStep &step) {
    return replays_[static_cast<size_t>(&step - steps_.data())];
  }
  std::optional<ReplayResult> replayStep(const ModelStep &step) const;
  std::optional<ReplayResult> replayCall(const ModelStep &step) const;
  std::optional<ReplayResult> replayBetween(const ModelStep &step) const;
  Suspect suspect(const ModelStep &step, const char *evidence,
                  std::string reason) const;
  void addParameters(FirstWrong &result) const;
  double errorIn(const ModelStep &step) const {
    double largest = 0;
    for (size_t source : step.sources)
      largest = std::max(
          largest, std::isfinite(row(source).relL2) ? row(source).relL2 : 0.0);
    return largest;
  }

  const Comparison &comparison_;
  const Hdf5Reader &target_, &bench_;
  ThreadPool &pool_;
  SideOperators operators_;
  std::vector<ModelStep> steps_;
  std::vector<std::optional<ReplayResult>> replays_; // of steps_
  std::map<std::string, int64_t> ofRole_;            // steps that differ
  bool hasOperators_ = false;
  FirstWrong result_;
};
} // namespace

static std::string number(double value) {
  return llvm::formatv("{0}", llvm::format("%.3g", value)).str();
}

static std::string withoutNumbers(llvm::StringRef path) {
  std::string role;
  for (char c : path)
    if (c < '0' || c > '9')
      role += c;
  return role;
}

/// What the same step is called in every block: its path with its numbers taken
/// out; of an operator the path of the module around it and the line.
std::string Judge::roleOf(const ModelStep &step) const {
  const DumpName &tensor = name(step.row);
  if (!isOperatorCall(tensor.module))
    return withoutNumbers(tensor.text());
  return tensor.className + " " + kindName(tensor.kind).str() + "." +
         tensor.item + " " + withoutNumbers(moduleAround(step.row)) + " " +
         sourceOf(step.row).str();
}

double Judge::rounding(size_t index) const {
  numerics::ElementType type = row(index).type;
  if (!type.isFloat() && !type.isComplex())
    return 0;
  return numerics::unitRoundoff(type.format) *
         (type.bits <= 16 ? kRoundings : kSumRoundings);
}

/// Error over what the inputs' errors and the type's rounding explain.
double Judge::score(const ModelStep &step) const {
  double out = row(step.row).relL2;
  if (out == 0)
    return 0;
  double coarsest = rounding(step.row);
  for (size_t source : step.sources)
    if (row(source).relL2 > 0)
      coarsest = std::max(coarsest, rounding(source));
  double explained = kGain * errorIn(step) + coarsest;
  return explained == 0 ? HUGE_VAL : out / explained;
}

Suspect Judge::suspect(const ModelStep &step, const char *evidence,
                       std::string reason) const {
  Suspect result;
  result.module = step.module.empty()
                      ? (step.className.empty() ? "(model)" : step.className)
                      : step.module;
  result.className = step.className;
  result.evidence = evidence;
  result.reason = std::move(reason);
  result.tensor = name(step.row).text();
  result.where = whereIs(step.row);
  result.row = static_cast<int64_t>(step.row);
  result.step = name(step.row).step;
  result.errorIn = errorIn(step);
  result.errorOut = row(step.row).relL2;
  result.score = score(step);
  result.role = roleOf(step);
  auto judged = ofRole_.find(result.role);
  result.ofRole = judged == ofRole_.end() ? 1 : judged->second;
  return result;
}

std::optional<Suspect> Judge::hardEvidence(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  bool sourcesPass = true, sourcesFinite = true;
  for (size_t source : step.sources) {
    sourcesPass &= row(source).status != RowStatus::Fail;
    sourcesFinite &= row(source).nonFiniteDisagree == 0;
  }
  std::string where =
      step.leaf ? "its output"
                : "what it computes for '" + name(step.row).text() + "'";
  if (!out.compared && sourcesPass)
    return suspect(step, "shape", out.reason);
  if (out.nonFiniteDisagree > 0 && sourcesFinite)
    return suspect(
        step, "not finite",
        where + " has " + std::to_string(out.nonFiniteDisagree) +
            " NaN or Inf that the bench lacks, from inputs without any");
  if (out.status == RowStatus::Fail && sourcesPass)
    return suspect(step, "rule",
                   where + " fails, its inputs pass: " + out.reason);
  return std::nullopt;
}

/// Reads the tensor of a row; an invalid tensor when there is none.
static Tensor readRow(const Hdf5Reader &file, int64_t dataset) {
  if (dataset < 0)
    return {};
  llvm::Expected<Tensor> tensor =
      file.readTensor(file.datasets()[static_cast<size_t>(dataset)]);
  if (tensor)
    return *tensor;
  llvm::consumeError(tensor.takeError());
  return {};
}

llvm::Expected<AtenProgram> Judge::programOf(size_t index,
                                             Stages stages) const {
  if (operators_.bench)
    return operators_.bench->program(benchName(index), stages);
  return operators_.target->program(name(index), stages);
}

/// The innermost module whose call was open when an operator's tensor was
/// recorded: its inputs lie before, its outputs after it.
std::string Judge::moduleAround(size_t index) const {
  auto at = static_cast<size_t>(row(index).pair.target);
  llvm::ArrayRef<AlignItem> items = comparison_.target;
  std::set<std::string> ending;
  for (const AlignItem &item : items.drop_front(at))
    if (item.name.kind == TensorKind::ForwardOutput &&
        item.name.step == name(index).step)
      ending.insert(item.name.callText());
  for (size_t i = at; i-- > 0;)
    if (!isOperatorCall(items[i].name.module) &&
        items[i].name.kind == TensorKind::ForwardInput &&
        items[i].name.step == name(index).step &&
        ending.count(items[i].name.callText()))
      return items[i].name.module;
  return "";
}

llvm::StringRef Judge::sourceOf(size_t index) const {
  llvm::StringRef source;
  if (operators_.target)
    source = operators_.target->source(name(index));
  if (source.empty() && operators_.bench)
    source = operators_.bench->source(benchName(index));
  return source;
}

std::string Judge::whereIs(size_t index) const {
  if (!isOperatorCall(name(index).module))
    return "";
  std::string where = moduleAround(index);
  llvm::StringRef source = sourceOf(index);
  if (!source.empty())
    where += (where.empty() ? "" : ", ") + source.str();
  return where;
}

/// What a recorded call gives; nothing where it has no program. The bench's
/// description says what should have run; the target's own only in which types.
std::optional<ReplayFormula> Judge::formulaOf(const ModelStep &step,
                                              Stages stages,
                                              const AtenProgram &program,
                                              bool otherTypes) const {
  size_t output = 0;
  auto result = llvm::StringRef(name(step.row).item).getAsInteger(10, output)
                    ? program.outputs.end()
                    : llvm::find(program.outputs, output);
  if (result == program.outputs.end())
    return std::nullopt;
  ReplayFormula formula{"what the operator gives", program.program, nullptr,
                        static_cast<size_t>(result - program.outputs.begin())};
  if (otherTypes && operators_.target && operators_.bench) {
    llvm::Expected<AtenProgram> own =
        operators_.target->program(name(step.row), stages);
    if (own && own->outputs == program.outputs)
      formula.targetProgram = own->program;
    else
      llvm::consumeError(own.takeError());
  }
  return formula;
}

/// A recorded operator call, run again.
std::optional<ReplayResult> Judge::replayCall(const ModelStep &step) const {
  const DumpName &out = name(step.row);
  if (!step.leaf || out.kind != TensorKind::ForwardOutput)
    return std::nullopt;
  llvm::Expected<AtenProgram> program = programOf(step.row, Stages::Rounded);
  if (!program) {
    llvm::consumeError(program.takeError());
    return std::nullopt;
  }
  ReplaySide target, bench;
  target.accumulation = operators_.accumulation;
  for (const std::string &place : program->inputs) {
    auto source = llvm::find_if(
        step.sources, [&](size_t i) { return name(i).item == place; });
    if (source == step.sources.end())
      return std::nullopt;
    target.inputs.push_back(readRow(target_, row(*source).pair.target));
    bench.inputs.push_back(readRow(bench_, row(*source).pair.bench));
    if (!target.inputs.back().valid() || !bench.inputs.back().valid())
      return std::nullopt;
  }
  target.output = readRow(target_, row(step.row).pair.target);
  bench.output = readRow(bench_, row(step.row).pair.bench);
  if (!target.output.valid() || !bench.output.valid())
    return std::nullopt;
  bool otherTypes = !(target.output.type() == bench.output.type());
  for (auto [mine, theirs] : llvm::zip(target.inputs, bench.inputs))
    otherTypes |= !(mine.type() == theirs.type());
  std::optional<ReplayFormula> formula =
      formulaOf(step, Stages::Rounded, *program, otherTypes);
  if (!formula)
    return std::nullopt;
  std::optional<ReplayResult> rounded =
      trace::replay(*formula, target, bench, 0.1);
  bool isNarrow = bench.output.elementType().isFloat() &&
                  bench.output.elementType().bits < 32;
  if (!isNarrow || (rounded && rounded->benchOff == 0))
    return rounded;
  // Narrow sums are a meaning only where nothing else explains the bench.
  llvm::Expected<AtenProgram> narrow = programOf(step.row, Stages::Narrow);
  if (!narrow) {
    llvm::consumeError(narrow.takeError());
    return rounded;
  }
  std::vector<ReplayFormula> formulas{std::move(*formula)};
  if (std::optional<ReplayFormula> other =
          formulaOf(step, Stages::Narrow, *narrow, otherTypes))
    formulas.push_back(std::move(*other));
  return trace::replay(formulas, target, bench, 0.1);
}

/// Code between modules: attention from the last projections before it.
std::optional<ReplayResult> Judge::replayBetween(const ModelStep &step) const {
  std::vector<size_t> outputs, others;
  for (size_t source : step.sources)
    (name(source).kind == TensorKind::ForwardOutput ? outputs : others)
        .push_back(source);
  if (outputs.empty())
    return std::nullopt;
  auto widthOf = [&](size_t source) {
    const tensor::Shape &shape =
        comparison_.bench[static_cast<size_t>(row(source).pair.bench)]
            .type.shape;
    return shape.empty() ? 0 : shape.back();
  };
  bool joint = widthOf(outputs.back()) == 3 * widthOf(step.row);
  size_t count = joint ? 1 : 3;
  if (outputs.size() < count ||
      (!joint && widthOf(outputs[outputs.size() - 3]) != widthOf(step.row)))
    return std::nullopt;
  AttentionCall target, bench;
  for (size_t i = outputs.size() - count; i < outputs.size(); ++i) {
    target.projections.push_back(readRow(target_, row(outputs[i]).pair.target));
    bench.projections.push_back(readRow(bench_, row(outputs[i]).pair.bench));
  }
  constexpr int64_t kSmall = 1 << 20; // bytes of angles or bounds
  for (size_t i : others) {
    const auto &dataset =
        target_.datasets()[static_cast<size_t>(row(i).pair.target)];
    if (dataset.sizeBytes > kSmall)
      continue;
    target.others.push_back(readRow(target_, row(i).pair.target));
    bench.others.push_back(readRow(bench_, row(i).pair.bench));
  }
  target.output = readRow(target_, row(step.row).pair.target);
  bench.output = readRow(bench_, row(step.row).pair.bench);
  return replayAttention(target, bench);
}

std::optional<ReplayResult> Judge::replayStep(const ModelStep &step) const {
  if (!step.leaf && !step.sources.empty())
    return replayBetween(step);
  if (operators_.target || operators_.bench)
    if (std::optional<ReplayResult> replayed = replayCall(step))
      return replayed;
  if (!step.leaf || step.sources.empty() ||
      name(step.row).kind != TensorKind::ForwardOutput)
    return std::nullopt;
  std::string call = name(step.row).callText();
  LeafCall target, bench;
  target.accumulation = operators_.accumulation;
  target.className = step.className;
  bench.className = benchName(step.row).className;
  auto load = [&](const ComparedRow &r, Tensor LeafCall::*member) {
    target.*member = readRow(target_, r.pair.target);
    bool equal = r.compared && r.mismatches == 0;
    bench.*member = equal ? target.*member : readRow(bench_, r.pair.bench);
  };
  for (const ComparedRow &r : comparison_.rows) {
    if (r.pair.target < 0 || r.pair.bench < 0)
      continue;
    const DumpName &other =
        comparison_.target[static_cast<size_t>(r.pair.target)].name;
    // Parameters are recorded with the first call only.
    bool parameter = other.kind == TensorKind::ForwardParams &&
                     other.module == step.module &&
                     other.step == name(step.row).step;
    if (parameter && other.item == "weight")
      load(r, &LeafCall::weight);
    else if (parameter && other.item == "bias")
      load(r, &LeafCall::bias);
  }
  load(row(step.sources.front()), &LeafCall::input);
  load(row(step.row), &LeafCall::output);
  return replayLeaf(target, bench,
                    row(step.row).status == RowStatus::Fail ||
                        score(step) > 0.5);
}

/// Equal results of unlike inputs too: two faults may undo each other.
bool Judge::wantsReplay(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  bool differs =
      out.mismatches > 0 || llvm::any_of(step.sources, [&](size_t source) {
        return row(source).mismatches > 0;
      });
  return !step.isInput && out.compared && differs &&
         !isUninitialised(name(step.row));
}

/// All replays, on all threads: they depend on nothing but the recordings.
void Judge::replayAll() {
  replays_.resize(steps_.size());
  std::atomic<size_t> next{0};
  pool_.runOnAll([&](int) {
    for (size_t i; (i = next++) < steps_.size();)
      if (wantsReplay(steps_[i]))
        replays_[i] = replayStep(steps_[i]);
  });
}

static std::string describe(const ReplayResult &wrong) {
  if (wrong.byDeviation)
    return llvm::formatv("what it computes is {0} away from {1} of its own "
                         "inputs (relative L2), the bench's {2}",
                         number(wrong.targetDeviation), wrong.formula,
                         number(wrong.benchDeviation))
        .str();
  std::string share = std::isfinite(wrong.targetShare)
                          ? number(wrong.targetShare) + " times its bound"
                          : std::string("where the bound is 0");
  std::string reason =
      llvm::formatv("{0} of {1} outputs are not {2} of its own inputs, the "
                    "worst is off by {3}; the bench's are{4}: {5}",
                    wrong.targetOff, wrong.elements, wrong.formula, share,
                    wrong.benchOff == 0
                        ? ""
                        : " but for " + std::to_string(wrong.benchOff),
                    wrong.pattern)
          .str();
  if (!wrong.targetFormula.empty())
    reason += "; they are " + wrong.targetFormula;
  return reason;
}

std::optional<Suspect> Judge::judge(const ModelStep &step) {
  if (isUninitialised(name(step.row)))
    return std::nullopt;
  ++result_.judged;
  const ComparedRow &out = row(step.row);
  if (step.isInput) {
    if (out.status != RowStatus::Fail)
      return std::nullopt;
    return suspect(step, "rule",
                   "the recorded input of the model itself differs: " +
                       out.reason);
  }
  double growth = score(step);
  if (const std::optional<ReplayResult> &again = replay(step)) {
    ++result_.replayed;
    if (again->targetWrong())
      return suspect(step, "replay", describe(*again));
    if (growth > 1)
      result_.illConditioned.push_back(
          {step.module, name(step.row).text(), errorIn(step), out.relL2});
    return std::nullopt;
  }
  if (out.compared && out.mismatches == 0)
    return std::nullopt;
  if (hasOperators_ && !isOperatorCall(name(step.row).module))
    return std::nullopt; // a sum of the recorder's own, or judged inside
  if (std::optional<Suspect> hard = hardEvidence(step))
    return hard;
  return byGrowth(step, growth);
}

/// Where no program is known: by how much the error grows.
std::optional<Suspect> Judge::byGrowth(const ModelStep &step, double growth) {
  const ComparedRow &out = row(step.row);
  bool inputsFail = llvm::any_of(step.sources, [&](size_t source) {
    return row(source).nonFiniteDisagree > 0;
  });
  if (inputsFail)
    return std::nullopt;
  if (growth > 1)
    return suspect(step, "gain",
                   "the error grows from " + number(errorIn(step)) + " to " +
                       number(out.relL2) + " (relative L2), " + number(growth) +
                       " times what its inputs and rounding explain");
  if (growth > result_.largestGrowth) {
    result_.largestGrowth = growth;
    result_.largestGrowthAt = name(step.row).text();
  }
  return std::nullopt;
}

void Judge::addParameters(FirstWrong &result) const {
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &r = row(i);
    if (r.pair.target < 0 || r.pair.bench < 0 || r.status != RowStatus::Fail ||
        name(i).kind != TensorKind::ForwardParams)
      continue;
    ModelStep step{i, {}, name(i).module, name(i).className, true, false};
    result.suspects.push_back(
        suspect(step, "parameters",
                "its parameter '" + name(i).item + "' differs: " + r.reason));
  }
}

llvm::Expected<FirstWrong> Judge::run() {
  steps_ = findSteps(comparison_);
  for (const ModelStep &step : steps_) {
    hasOperators_ |= isOperatorCall(name(step.row).module);
    if (wantsReplay(step))
      ++ofRole_[roleOf(step)];
  }
  replayAll();
  addParameters(result_);
  for (const ModelStep &step : steps_)
    if (std::optional<Suspect> found = judge(step))
      result_.suspects.push_back(std::move(*found));
  arrangeSuspects(result_.suspects);
  llvm::stable_sort(result_.illConditioned,
                    [](const IllConditioned &a, const IllConditioned &b) {
                      return a.errorOut * b.errorIn > b.errorOut * a.errorIn;
                    });
  std::vector<FiniteItem> items;
  for (const ComparedRow &row : comparison_.rows)
    if (row.pair.target >= 0)
      items.push_back(
          {comparison_.target[static_cast<size_t>(row.pair.target)].name,
           row.nonFiniteDisagree});
  result_.notFinite = findNotFinite(items);
  return std::move(result_);
}

std::vector<Judge::Bounded> Judge::byBounds() {
  steps_ = findSteps(comparison_);
  replayAll();
  std::vector<Bounded> verdicts;
  std::set<size_t> made;
  for (const ModelStep &step : steps_) {
    made.insert(step.row);
    const std::optional<ReplayResult> &again = replay(step);
    if (!again)
      continue;
    double share = again->byDeviation ? 0 : again->targetShare;
    verdicts.push_back({step.row, !again->targetWrong(),
                        again->targetWrong() ? describe(*again) : "", share});
  }
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &r = row(i);
    bool pair = r.pair.target >= 0 && r.pair.bench >= 0;
    if (!pair || !r.compared || r.mismatches == 0 || made.count(i))
      continue;
    TensorKind kind = name(i).kind;
    if (kind != TensorKind::Other && kind != TensorKind::ForwardParams)
      verdicts.push_back({i, true, "handed on: judged where it was made", 0});
  }
  return verdicts;
}

void judgeByBounds(Comparison &comparison, const Hdf5Reader &target,
                   const Hdf5Reader &bench, ThreadPool &pool,
                   const SideOperators &operators) {
  std::vector<Judge::Bounded> verdicts =
      Judge(comparison, target, bench, pool, operators).byBounds();
  for (Judge::Bounded &verdict : verdicts) {
    ComparedRow &row = comparison.rows[verdict.row];
    row.status = verdict.passes ? RowStatus::Pass : RowStatus::Fail;
    row.rule = "bound";
    row.reason = std::move(verdict.reason);
    row.worstFraction = verdict.worstFraction;
  }
  comparison.ruleName =
      "bound; " + comparison.ruleName + " where no program is known";
  comparison.passed = comparison.failed = 0;
  for (const ComparedRow &row : comparison.rows)
    if (row.status != RowStatus::Unmatched)
      ++(row.status == RowStatus::Fail ? comparison.failed : comparison.passed);
}

llvm::Expected<FirstWrong> findFirstWrong(const Comparison &comparison,
                                          const Hdf5Reader &target,
                                          const Hdf5Reader &bench,
                                          ThreadPool &pool,
                                          const SideOperators &operators) {
  return Judge(comparison, target, bench, pool, operators).run();
}

} // namespace assay::trace
