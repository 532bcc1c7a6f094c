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
  std::string printOf(size_t row) const;
  bool isCopy(size_t row);
  bool isOfOperator(size_t row) const;
  void addOutput(size_t row, const CallRows &call);
  void addInput(size_t row, const CallRows &call);
  std::vector<size_t> rowsBelow(llvm::StringRef module, size_t before) const;
  const CallRows *enclosing(const CallRows &call, size_t row) const;

  const Comparison &comparison_;
  std::vector<size_t> order_; // rows of activations
  std::map<std::pair<int64_t, std::string>, CallRows> calls_;
  std::map<std::string, size_t> seen_; // fingerprint -> first row
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
    if (tensor.kind == TensorKind::Other ||
        tensor.kind == TensorKind::ForwardParams)
      continue;
    order_.push_back(i);
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
    for (size_t row : order_)
      if (row > call.first && row < call.last && name(row).step == key.first &&
          isBelow(name(row).module, call.module))
        call.inner = true;
}

/// Whether what a leaf module gives is what an operator in it gave: the operator
/// is judged.
bool StepFinder::isOfOperator(size_t row) const {
  return !isOperatorCall(name(row).module) &&
         isOperatorCall(name(seen_.at(printOf(row))).module);
}

/// Equal data on the trusted side, or, without hashes, equal error figures,
/// mean that a tensor was only handed on.
std::string StepFinder::printOf(size_t row) const {
  const ComparedRow &r = comparison_.rows[row];
  const AlignItem &bench = comparison_.bench[static_cast<size_t>(r.pair.bench)];
  const AlignItem &target =
      comparison_.target[static_cast<size_t>(r.pair.target)];
  std::string print =
      std::to_string(name(row).step) + " " + std::to_string(r.elements) + " ";
  if (!bench.hash.empty() && !target.hash.empty())
    print += bench.hash + target.hash;
  else
    print += llvm::formatv("{0:e17} {1:e17} {2} {3:e17}", r.relL2, r.maxAbs,
                           r.mismatches, r.benchRms)
                 .str();
  return print;
}

bool StepFinder::isCopy(size_t row) {
  return !seen_.try_emplace(printOf(row), row).second;
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
  if (!call.inner) {
    steps_.push_back({row, call.inputs, call.module, call.className, true,
                      call.inputs.empty()});
    return;
  }
  steps_.push_back({row, rowsBelow(call.module, row), call.module,
                    call.className, false, false});
}

static std::string parentOf(llvm::StringRef module) {
  return module.contains('.') ? module.rsplit('.').first.str() : "";
}

void StepFinder::addInput(size_t row, const CallRows &call) {
  if (const CallRows *outer = enclosing(call, row)) {
    steps_.push_back({row, rowsBelow(outer->module, row), outer->module,
                      outer->className, false, false});
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
      steps_.push_back({row, std::move(sources), blamed, "", false, false});
      return;
    }
    if (path.empty())
      break;
  }
  steps_.push_back({row, {}, call.module, call.className, false, true});
}

std::vector<ModelStep> StepFinder::run() {
  collect();
  for (size_t row : order_) {
    const DumpName &tensor = name(row);
    bool backward = tensor.kind != TensorKind::ForwardInput &&
                    tensor.kind != TensorKind::ForwardOutput;
    const CallRows &call = calls_[{
        tensor.step, tensor.callText() + (backward ? "\nbackward" : "")}];
    bool leafOutput = isOutput(tensor.kind) && !call.inner;
    if (isCopy(row) && (!leafOutput || isOfOperator(row)))
      continue;
    isOutput(tensor.kind) ? addOutput(row, call) : addInput(row, call);
  }
  return std::move(steps_);
}

std::vector<ModelStep> findSteps(const Comparison &comparison) {
  return StepFinder(comparison).run();
}

} // namespace assay::trace
