// From a flat list of recorded tensors to steps. Modules nest by their paths: a
// call is inner when calls of modules below its path were recorded between its
// inputs and its outputs. The code between the children of a module is not
// recorded itself; its result appears as a child's input (or the module's
// output) that equals no tensor before it, and is attributed to the innermost
// recorded module around it, or, in dumps of leaf modules only, to the longest
// common path.
#include "assay/trace/Steps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace assay::trace {

namespace {
/// One call of a module and the rows that belong to it.
struct CallRows {
  std::string module, className;
  std::vector<size_t> inputs, outputs;
  size_t first = 0, last = 0;
  bool inner = false;
};

class StepFinder {
public:
  explicit StepFinder(const Comparison &comparison) : comparison_(comparison) {}
  std::vector<ModelStep> run();

private:
  const DumpName &name(size_t row) const {
    return comparison_.item(comparison_.rows[row], true).name;
  }
  void collect();
  void noteOneSided(const ComparedRow &row);
  bool belongsToOperator(size_t row) const;
  std::vector<size_t> ofAllCalls(size_t row) const;
  size_t lastRunOf(size_t input) const;
  void addOutput(size_t row, const CallRows &call);
  void addInput(size_t row, const CallRows &call);
  bool isFedIn(size_t row) const;
  std::string calledAround(llvm::StringRef module, int64_t step) const;
  std::optional<std::string> wasGiven(const DumpName &parameter) const;
  std::string outermostGiver(size_t row, const CallRows &call) const;
  std::vector<size_t> rowsBelow(llvm::StringRef module, size_t before) const;
  const CallRows *enclosing(const CallRows &call, size_t row) const;

  const Comparison &comparison_;
  std::vector<size_t> order_; // rows of activations
  std::map<std::pair<int64_t, std::string>, CallRows> calls_;
  std::map<std::pair<int64_t, std::string>, std::vector<size_t>> ofModule_,
      parameters_;                               // by step and path
  /// The first call of the backward pass and its row, by step.
  std::map<int64_t, std::pair<std::string, size_t>> firstBackward_;
  std::map<std::pair<int64_t, std::string>, OneSidedParameter> oneSided_;
  std::vector<size_t> holder_;
  bool hasFlow_ = false; // operators with hashes
  std::vector<ModelStep> steps_;
};
} // namespace

llvm::StringRef givenParameter(const DumpName &name) {
  llvm::StringRef item = name.item;
  bool isGiven = (name.kind == TensorKind::ForwardInput ||
                  name.kind == TensorKind::BackwardGradInput) &&
                 item.consume_front("parameters.");
  return isGiven ? item : llvm::StringRef();
}

static bool isBelow(llvm::StringRef module, llvm::StringRef outer) {
  if (outer.empty())
    return !module.empty();
  return module.consume_front(outer) && module.starts_with(".");
}

/// Notes a parameter without a counterpart that a call received. Calls of
/// modules around it come first: their code passed it.
void StepFinder::noteOneSided(const ComparedRow &row) {
  bool ofTarget = row.pair.target >= 0;
  const DumpName &given = comparison_.item(row).name;
  if (given.kind != TensorKind::ForwardInput || givenParameter(given).empty())
    return;
  std::string path = given.module.empty() ? "" : given.module + ".";
  path += givenParameter(given);
  auto [module, parameter] = llvm::StringRef(path).rsplit('.');
  oneSided_.try_emplace(
      {given.step, module.str()},
      OneSidedParameter{parameter.str(), given.module, ofTarget});
}

void StepFinder::collect() {
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    if (row.pair.target < 0 || row.pair.bench < 0) {
      noteOneSided(row);
      continue;
    }
    const DumpName &tensor = name(i);
    if (tensor.kind == TensorKind::ForwardParams)
      parameters_[{tensor.step, tensor.module}].push_back(i);
    if (tensor.kind == TensorKind::Other ||
        tensor.kind == TensorKind::ForwardParams)
      continue;
    order_.push_back(i);
    hasFlow_ |=
        isNumbered(tensor.module) && !comparison_.item(row, true).hash.empty();
    if (!isNumbered(tensor.module))
      ofModule_[{tensor.step, tensor.module}].push_back(i);
    bool backward = isBackward(tensor.kind);
    if (backward && !isNumbered(tensor.module))
      firstBackward_.try_emplace(tensor.step, tensor.callText(), i);
    CallRows &call = calls_[{tensor.step, tensor.callText() +
                                              (backward ? "\nbackward" : "")}];
    if (call.inputs.empty() && call.outputs.empty())
      call.first = i;
    call.last = i;
    call.module = tensor.module;
    call.className = tensor.className;
    (isInput(tensor.kind) ? call.inputs : call.outputs).push_back(i);
  }
  // A call is inner when another call below its path starts and ends within it.
  for (auto &[key, call] : calls_)
    for (auto row = llvm::upper_bound(order_, call.first);
         row != order_.end() && *row < call.last && !call.inner; ++row)
      call.inner = name(*row).step == key.first &&
                   !isNumbered(name(*row).module) &&
                   isBelow(name(*row).module, call.module);
}

/// Whether the output of a leaf module is that of an operator in it: then the
/// operator is judged.
bool StepFinder::belongsToOperator(size_t row) const {
  return !isOperatorCall(name(row).module) &&
         isOperatorCall(name(holder_[row]).module);
}

/// The input of a call from which its gradients were made. Where a checkpoint
/// ran the module again in the backward pass, this is the input of that run,
/// which may have other bits.
size_t StepFinder::lastRunOf(size_t input) const {
  const DumpName &own = name(input);
  auto backward = firstBackward_.find(own.step);
  auto gradients = calls_.find({own.step, own.callText() + "\nbackward"});
  if (backward == firstBackward_.end() || gradients == calls_.end())
    return input;
  constexpr double kSame = 0.01; // share of the size of its numbers
  auto isAgain = [&](size_t other) {
    const ComparedRow &x = comparison_.rows[input], &y = comparison_.rows[other];
    return name(other).kind == own.kind && name(other).item == own.item &&
           other > backward->second.second && other < gradients->second.last &&
           !calls_.count({own.step, name(other).callText() + "\nbackward"}) &&
           x.elements == y.elements &&
           std::abs(x.benchRms - y.benchRms) <= kSame * x.benchRms;
  };
  size_t last = input;
  for (size_t other : ofModule_.at({own.step, own.module}))
    if (isAgain(other))
      last = other;
  return last;
}

/// The inputs and gradients of all calls of a module, in the order of the calls: a
/// gradient of its parameters is a sum over them.
std::vector<size_t> StepFinder::ofAllCalls(size_t row) const {
  std::vector<size_t> result;
  for (size_t other : ofModule_.at({name(row).step, name(row).module}))
    if (name(other).kind == TensorKind::ForwardInput ||
        name(other).kind == TensorKind::BackwardGradOutput)
      result.push_back(other);
  llvm::stable_sort(result, [&](size_t a, size_t b) {
    return name(a).call < name(b).call;
  });
  for (size_t &source : result)
    if (name(source).kind == TensorKind::ForwardInput)
      source = lastRunOf(source);
  return result;
}

/// Activations recorded before `before` in modules below `module`, and the
/// module's own inputs.
std::vector<size_t> StepFinder::rowsBelow(llvm::StringRef module,
                                          size_t before) const {
  std::vector<size_t> result;
  int64_t step = name(before).step;
  for (size_t row : order_) {
    if (row >= before)
      break;
    const DumpName &tensor = name(row);
    bool own = tensor.module == module && isInput(tensor.kind);
    if (tensor.step == step && (own || isBelow(tensor.module, module)))
      result.push_back(row);
  }
  return result;
}

/// The innermost inner call around `row` whose path is above that of `call`.
const CallRows *StepFinder::enclosing(const CallRows &call, size_t row) const {
  const CallRows *best = nullptr;
  int64_t step = name(row).step;
  for (const auto &[key, other] : calls_)
    if (key.first == step && other.inner && other.first < row &&
        other.last > row && isBelow(call.module, other.module) &&
        (!best || isBelow(other.module, best->module)))
      best = &other;
  return best;
}

static std::string parentOf(llvm::StringRef module) {
  return module.contains('.') ? module.rsplit('.').first.str() : "";
}

void StepFinder::addOutput(size_t row, const CallRows &call) {
  ModelStep step{.row = row, .module = call.module};
  step.className = call.className;
  const DumpName &tensor = name(row);
  step.leaf = !call.inner;
  std::optional<std::string> giver = wasGiven(tensor);
  if (giver) {
    step.leaf = false;
    step.module = calledAround(*giver, tensor.step);
    step.className = "";
    step.sources = rowsBelow(step.module, row);
  } else if (tensor.kind == TensorKind::ParamsGrad) {
    step.sources = ofAllCalls(row);
    bool hasGradient = llvm::any_of(step.sources, [&](size_t source) {
      return isBackward(name(source).kind);
    });
    if (call.inner) // its own code uses the outputs of its modules, too
      llvm::append_range(step.sources, rowsBelow(call.module, row));
    else if (!hasGradient && !isNumbered(tensor.module)) {
      // An in-place operator (ReLU) has the output's gradient.
      step.leaf = false;
      llvm::append_range(step.sources, rowsBelow(parentOf(call.module), row));
    }
  } else if (call.inner) {
    step.sources = rowsBelow(call.module, row);
  } else {
    step.sources = call.inputs;
    // A gradient depends on the inputs of the module, too.
    if (tensor.kind == TensorKind::BackwardGradInput)
      if (auto forward = calls_.find({tensor.step, tensor.callText()});
          forward != calls_.end())
        for (size_t input : forward->second.inputs)
          step.sources.push_back(lastRunOf(input));
  }
  step.isInput = step.leaf && step.sources.empty();
  step.byFlow = hasFlow_ && !isNumbered(tensor.module);
  if (auto it = parameters_.find({tensor.step, tensor.module});
      it != parameters_.end())
    step.parameters = it->second;
  if (auto it = oneSided_.find({tensor.step, tensor.module});
      it != oneSided_.end() && tensor.kind == TensorKind::ForwardOutput) {
    step.oneSided = it->second;
    step.oneSided->around = calledAround(it->second.around, tensor.step);
  }
  steps_.push_back(std::move(step));
}

/// The module that returns the call's output, and so gets its gradient: the
/// outermost module around the call that does, or the call's own.
std::string StepFinder::outermostGiver(size_t row, const CallRows &call) const {
  std::string best = call.module;
  if (name(row).kind != TensorKind::BackwardGradOutput)
    return best;
  for (size_t other : order_)
    if (holder_[other] == row &&
        name(other).kind == TensorKind::BackwardGradOutput &&
        isBelow(best, name(other).module))
      best = name(other).module;
  return best;
}

/// Whether a gradient belongs to the call that the backward pass begins with: it
/// comes from the loss.
bool StepFinder::isFedIn(size_t row) const {
  const DumpName &tensor = name(row);
  if (tensor.kind != TensorKind::BackwardGradOutput)
    return false;
  auto first = firstBackward_.find(tensor.step);
  return first != firstBackward_.end() && first->second.first == tensor.callText();
}

/// Results of code at the end of a block appear at the start of the next one:
/// it belongs to the block below `path` that ran last, where blocks are
/// numbered.
static std::string blockOf(const std::string &path, llvm::StringRef last) {
  llvm::StringRef below =
      path.empty() ? last
                   : last.drop_front(std::min(last.size(), path.size() + 1));
  llvm::StringRef first = below.split('.').first;
  if (first.empty() || !llvm::all_of(first, llvm::isDigit))
    return path;
  return path + (path.empty() ? "" : ".") + first.str();
}

/// The nearest enclosing module that was recorded: a list of modules is never
/// called.
std::string StepFinder::calledAround(llvm::StringRef module,
                                     int64_t step) const {
  std::string path = parentOf(module);
  while (!path.empty() && !ofModule_.count({step, path}))
    path = parentOf(path);
  return path;
}

/// The outermost module that received a value computed from the parameter; the
/// gradient belongs to the code around it.
std::optional<std::string>
StepFinder::wasGiven(const DumpName &parameter) const {
  if (parameter.kind != TensorKind::ParamsGrad)
    return std::nullopt;
  std::optional<std::string> result;
  std::string below = parameter.item;
  for (std::string path = parameter.module;; path = parentOf(path)) {
    auto rows = ofModule_.find({parameter.step, path});
    if (rows != ofModule_.end() && llvm::any_of(rows->second, [&](size_t row) {
          return name(row).kind == TensorKind::ForwardInput &&
                 givenParameter(name(row)) == below;
        }))
      result = path;
    if (path.empty())
      return result;
    below = path.substr(path.rfind('.') + 1) + "." + below;
  }
}

void StepFinder::addInput(size_t row, const CallRows &call) {
  auto add = [&](std::vector<size_t> sources, std::string module,
                 std::string className) {
    steps_.push_back({.row = row,
                      .sources = std::move(sources),
                      .parameters = {},
                      .module = std::move(module),
                      .className = std::move(className),
                      .byFlow = hasFlow_});
  };
  if (isFedIn(row)) {
    auto forward = calls_.find({name(row).step, name(row).callText()});
    add(forward != calls_.end() ? forward->second.outputs
                                : std::vector<size_t>(),
        call.module, call.className);
    steps_.back().isFedIn = true;
    steps_.back().byFlow = false;
    return;
  }
  if (isNumbered(call.module) && hasFlow_ && row != order_.front()) {
    add({}, call.module, call.className);
    return;
  }
  if (std::string giver = outermostGiver(row, call);
      giver != call.module && !giver.empty()) {
    std::string path = calledAround(giver, name(row).step);
    add(rowsBelow(path, row), path, "");
    return;
  }
  if (const CallRows *outer = enclosing(call, row)) {
    add(rowsBelow(outer->module, row), outer->module, outer->className);
    return;
  }
  // A module whose inputs have no gradient stays open to the end of the
  // backward pass.
  std::string above = calledAround(call.module, name(row).step);
  if (isBackward(name(row).kind) && !call.module.empty() &&
      ofModule_.count({name(row).step, above})) {
    add(rowsBelow(above, row), above, "");
    return;
  }
  // With leaf modules only: the nearest path above with an earlier recorded
  // tensor.
  for (std::string path = parentOf(call.module);; path = parentOf(path)) {
    std::vector<size_t> sources = rowsBelow(path, row);
    if (!sources.empty()) {
      std::string block = blockOf(path, name(sources.back()).module);
      add(std::move(sources), std::move(block), "");
      return;
    }
    if (path.empty())
      break;
  }
  add({}, call.module, call.className);
  steps_.back().isInput = true;
  steps_.back().byFlow = false;
}

std::vector<ModelStep> StepFinder::run() {
  collect();
  holder_ = firstHolders(comparison_);
  std::set<size_t> stoodFor;
  for (size_t row : order_) {
    const DumpName &tensor = name(row);
    bool backward = isBackward(tensor.kind);
    const CallRows &call = calls_[{
        tensor.step, tensor.callText() + (backward ? "\nbackward" : "")}];
    bool leafOutput = isOutput(tensor.kind) && !call.inner;
    bool isCopy = holder_[row] != row;
    // Where operators were recorded, no gradient of a module is judged: the first
    // operator that has it represents it.
    const DumpName &first = name(holder_[row]);
    if (isCopy && isOperatorCall(tensor.module) && !isNumbered(first.module) &&
        isBackward(first.kind) && stoodFor.insert(holder_[row]).second)
      isCopy = false;
    if (isCopy && (!leafOutput || belongsToOperator(row)))
      continue;
    isOutput(tensor.kind) ? addOutput(row, call) : addInput(row, call);
  }
  return std::move(steps_);
}

/// Equal data on the trusted side, or, without hashes, equal error figures,
/// mean that a tensor is a copy.
static std::string printOf(const Comparison &comparison, const ComparedRow &r) {
  const AlignItem &bench = comparison.item(r, false);
  const AlignItem &target = comparison.item(r, true);
  std::string print =
      std::to_string(target.name.step) + " " + std::to_string(r.elements) + " ";
  if (!bench.hash.empty() && !target.hash.empty())
    print += bench.hash + target.hash;
  else
    print += llvm::formatv("{0:e17} {1:e17} {2} {3:e17}", r.relL2, r.maxAbs,
                           r.mismatches, r.benchRms)
                 .str();
  return print;
}

std::vector<size_t> firstHolders(const Comparison &comparison) {
  std::vector<size_t> result(comparison.rows.size());
  llvm::StringMap<size_t> seen;
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = i;
    const ComparedRow &row = comparison.rows[i];
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    TensorKind kind = comparison.item(row, true).name.kind;
    if (kind != TensorKind::Other && kind != TensorKind::ForwardParams)
      result[i] = seen.try_emplace(printOf(comparison, row), i).first->second;
  }
  return result;
}

std::vector<ModelStep> findSteps(const Comparison &comparison) {
  return StepFinder(comparison).run();
}

} // namespace assay::trace
