// From a flat list of recorded tensors to steps. Modules nest by their paths: a
// call is inner when calls of modules below its path were recorded between its
// inputs and its outputs. The code between the children of a module has no
// record of its own; it shows as a child's input (or the module's output) that
// equals no tensor before it, and is attributed to the innermost recorded
// module around it, or, in dumps of leaf modules only, to the longest common
// path.
#include "assay/trace/Steps.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>

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
    return comparison_
        .target[static_cast<size_t>(comparison_.rows[row].pair.target)]
        .name;
  }
  void collect();
  bool isOfOperator(size_t row) const;
  std::vector<size_t> ofAllCalls(size_t row) const;
  void addOutput(size_t row, const CallRows &call);
  void addInput(size_t row, const CallRows &call);
  std::vector<size_t> rowsBelow(llvm::StringRef module, size_t before) const;
  const CallRows *enclosing(const CallRows &call, size_t row) const;

  const Comparison &comparison_;
  std::vector<size_t> order_; // rows of activations
  std::map<std::pair<int64_t, std::string>, CallRows> calls_;
  std::map<std::pair<int64_t, std::string>, std::vector<size_t>> ofModule_,
      parameters_; // by step and path
  std::vector<size_t> holder_;
  bool hasFlow_ = false; // operators with hashes
  std::vector<ModelStep> steps_;
};
} // namespace

static bool isBelow(llvm::StringRef module, llvm::StringRef outer) {
  if (outer.empty())
    return !module.empty();
  return module.consume_front(outer) && module.starts_with(".");
}

void StepFinder::collect() {
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    const DumpName &tensor = name(i);
    if (tensor.kind == TensorKind::ForwardParams)
      parameters_[{tensor.step, tensor.module}].push_back(i);
    if (tensor.kind == TensorKind::Other ||
        tensor.kind == TensorKind::ForwardParams)
      continue;
    order_.push_back(i);
    hasFlow_ |=
        isNumbered(tensor.module) &&
        !comparison_.target[static_cast<size_t>(row.pair.target)].hash.empty();
    if (!isNumbered(tensor.module))
      ofModule_[{tensor.step, tensor.module}].push_back(i);
    bool backward = tensor.kind != TensorKind::ForwardInput &&
                    tensor.kind != TensorKind::ForwardOutput;
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

/// Whether what a leaf module gives is what an operator in it gave: the operator
/// is judged.
bool StepFinder::isOfOperator(size_t row) const {
  return !isOperatorCall(name(row).module) &&
         isOperatorCall(name(holder_[row]).module);
}

/// What all calls of a module were given and got back: a gradient of its
/// parameters is a sum over them.
std::vector<size_t> StepFinder::ofAllCalls(size_t row) const {
  std::vector<size_t> result;
  for (size_t other : ofModule_.at({name(row).step, name(row).module}))
    if (name(other).kind == TensorKind::ForwardInput ||
        name(other).kind == TensorKind::BackwardGradOutput)
      result.push_back(other);
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

/// The innermost inner call around `row` whose path lies above that of `call`.
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

void StepFinder::addOutput(size_t row, const CallRows &call) {
  ModelStep step{.row = row, .module = call.module};
  step.className = call.className;
  const DumpName &tensor = name(row);
  step.leaf = !call.inner;
  if (tensor.kind == TensorKind::ParamsGrad) {
    step.sources = ofAllCalls(row);
  } else if (call.inner) {
    step.sources = rowsBelow(call.module, row);
  } else {
    step.sources = call.inputs;
    // A gradient hangs on what the module was given, too.
    if (tensor.kind == TensorKind::BackwardGradInput)
      if (auto forward = calls_.find({tensor.step, tensor.callText()});
          forward != calls_.end())
        llvm::append_range(step.sources, forward->second.inputs);
  }
  step.isInput = step.leaf && step.sources.empty();
  step.byFlow = hasFlow_ && !isNumbered(tensor.module);
  if (auto it = parameters_.find({tensor.step, tensor.module});
      it != parameters_.end())
    step.parameters = it->second;
  steps_.push_back(std::move(step));
}

static std::string parentOf(llvm::StringRef module) {
  return module.contains('.') ? module.rsplit('.').first.str() : "";
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
  if (isNumbered(call.module) && hasFlow_ && row != order_.front()) {
    add({}, call.module, call.className);
    return;
  }
  if (const CallRows *outer = enclosing(call, row)) {
    add(rowsBelow(outer->module, row), outer->module, outer->className);
    return;
  }
  // Leaf modules only: the nearest path above that has something recorded
  // before.
  for (std::string path = parentOf(call.module);; path = parentOf(path)) {
    std::vector<size_t> sources = rowsBelow(path, row);
    if (!sources.empty()) {
      // Code at the end of a block shows at the start of the next: it belongs
      // to the block that ran last.
      llvm::StringRef last = name(sources.back()).module;
      std::string blamed = path;
      std::string below =
          path.empty()
              ? last.str()
              : last.drop_front(std::min(last.size(), path.size() + 1)).str();
      llvm::StringRef first = llvm::StringRef(below).split('.').first;
      bool numbered = !first.empty() &&
                      std::all_of(first.begin(), first.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
      if (numbered)
        blamed += (path.empty() ? "" : ".") + first.str();
      add(std::move(sources), blamed, "");
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
  for (size_t row : order_) {
    const DumpName &tensor = name(row);
    bool backward = tensor.kind != TensorKind::ForwardInput &&
                    tensor.kind != TensorKind::ForwardOutput;
    const CallRows &call = calls_[{
        tensor.step, tensor.callText() + (backward ? "\nbackward" : "")}];
    bool leafOutput = isOutput(tensor.kind) && !call.inner;
    bool isCopy = holder_[row] != row;
    if (isCopy && (!leafOutput || isOfOperator(row)))
      continue;
    isOutput(tensor.kind) ? addOutput(row, call) : addInput(row, call);
  }
  return std::move(steps_);
}

/// Equal data on the trusted side, or, without hashes, equal error figures,
/// mean that a tensor was only handed on.
static std::string printOf(const Comparison &comparison, const ComparedRow &r) {
  const AlignItem &bench = comparison.bench[static_cast<size_t>(r.pair.bench)];
  const AlignItem &target =
      comparison.target[static_cast<size_t>(r.pair.target)];
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
    TensorKind kind =
        comparison.target[static_cast<size_t>(row.pair.target)].name.kind;
    if (kind != TensorKind::Other && kind != TensorKind::ForwardParams)
      result[i] = seen.try_emplace(printOf(comparison, row), i).first->second;
  }
  return result;
}

std::vector<ModelStep> findSteps(const Comparison &comparison) {
  return StepFinder(comparison).run();
}

} // namespace assay::trace
