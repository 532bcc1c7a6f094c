// Several passes test every operation alone; each pass runs only if those
// before it found nothing. The first crops large operands, since most errors
// show in a corner and a slow engine is quick there; the next takes them whole.
// Both judge only results that are visibly off, since a bound costs more than
// the operation. The last pass judges all that differ in a bit. A failing set
// of operations is searched by removing ever smaller windows of it: the results
// of a removed operation become recorded inputs.
#include "assay/judge/reduce/Graph.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/reduce/Dimensions.h"
#include "assay/support/Interrupt.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// Bytes of values that the search for a set of operations may keep.
static constexpr int64_t kKeptBytes = int64_t{1} << 30;
static constexpr size_t kKeptExecutions = 20000;

static bool sameBits(const Tensor &a, const Tensor &b) {
  llvm::Expected<Tensor> x = a.dense(), y = b.dense();
  if (!x || !y) {
    llvm::consumeError(llvm::joinErrors(x.takeError(), y.takeError()));
    return false;
  }
  return x->type() == y->type() &&
         std::memcmp(x->bytes(), y->bytes(),
                     static_cast<size_t>(x->denseBytes())) == 0;
}

/// The largest difference in RMS of `due`; infinite where a number is NaN.
static double discrepancy(const Tensor &got, const Tensor &due) {
  if (sameBits(got, due))
    return 0;
  if (!(got.type() == due.type()) || !isFloating(Value(due)))
    return INFINITY;
  std::vector<double> x = exactValues(Value(got)), y = exactValues(Value(due));
  double squares = 0, worst = 0;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (std::isfinite(x[i]) != std::isfinite(y[i]))
      return INFINITY;
    if (!std::isfinite(y[i]))
      continue;
    squares += y[i] * y[i];
    worst = std::max(worst, std::fabs(x[i] - y[i]));
  }
  double rms = std::sqrt(squares / static_cast<double>(y.size()));
  return worst > 0 ? worst / std::max(rms, 1e-300) : 0;
}

/// A difference larger than the roundings of an ordinary sum in the type.
static double visibleAt(const Tensor &due) {
  return due.elementType().storageBytes() >= 4 ? 1e-3 : 0.1;
}

/// Operands with more elements are cropped to fewer first.
static constexpr int64_t kLarge = 1 << 13;

/// The test with its longest dimensions halved until its inputs are small.
static TestCase cropped(TestCase test) {
  while (test.elements() > kLarge) {
    Dimensions dimensions(test.main());
    size_t longest = dimensions.count();
    for (size_t i = 0; i < dimensions.count(); ++i)
      if (dimensions.isFree(i) && dimensions.size(i) > 1 &&
          (longest == dimensions.count() ||
           dimensions.size(i) > dimensions.size(longest)))
        longest = i;
    llvm::Expected<TestCase> half =
        longest == dimensions.count()
            ? makeError(ErrorCode::Unsupported, "nothing to crop")
            : withSize(test, longest, (dimensions.size(longest) + 1) / 2, 0);
    if (!half) {
      llvm::consumeError(half.takeError());
      return test;
    }
    test = std::move(*half);
  }
  return test;
}

namespace {
enum class Pass : uint8_t { Cropped, Large, EveryBit };

class OneByOne {
public:
  OneByOne(Trial &trial, GraphSearch &found, Pass pass)
      : trial_(trial), found_(found), pass_(pass) {}

  bool visit(const Execution &execution) {
    ++found_.executions;
    if (!idle_.contains(execution.op) && !known(execution))
      ask(execution);
    return !trial_.spent() && found_.parts.size() < kMaxParts;
  }

private:
  static std::string kindOf(const Execution &execution) {
    std::string kind = execution.op->getName().getStringRef().str();
    for (const Tensor &operand : execution.operands)
      kind += " " + numerics::toString(operand.elementType());
    return kind;
  }
  bool known(const Execution &execution) const {
    return kinds_.count(kindOf(execution)) > 0;
  }
  void ask(const Execution &execution);

  Trial &trial_;
  GraphSearch &found_;
  Pass pass_;
  llvm::DenseSet<mlir::Operation *> idle_; ///< operations that the subject does
                                           ///< not compute
  std::set<std::string> kinds_;            ///< of faults found
};
} // namespace

void OneByOne::ask(const Execution &execution) {
  llvm::Expected<TestCase> test =
      programOf({&execution}, [](const Tensor &) { return true; });
  if (!test) {
    llvm::consumeError(test.takeError());
    return;
  }
  bool isLarge = test->elements() > kLarge;
  if (pass_ == Pass::Large && !isLarge)
    return; // asked before
  std::vector<Tensor> due = execution.results;
  if (pass_ == Pass::Cropped && isLarge) {
    test = cropped(std::move(*test));
    due.clear(); // the crop has other results: the judge decides
  }
  SubjectRun run = trial_.subject().run(test->program, test->inputs);
  if (run.ending == Ending::Refused || !run.tookPart) {
    idle_.insert(execution.op);
    return;
  }
  double worst = 0, visible = 0;
  if (run.ending != Ending::Done || due.empty())
    worst = INFINITY;
  else
    for (auto [got, right] : llvm::zip(run.results, due)) {
      worst = std::max(worst, discrepancy(got, right));
      visible = std::max(visible, visibleAt(right));
    }
  if (worst == 0 || (pass_ != Pass::EveryBit && worst < visible))
    return;
  Symptom symptom = trial_.symptom(*test);
  if (symptom == Symptom::None)
    return;
  kinds_.insert(kindOf(execution));
  found_.parts.push_back(
      {std::move(*test), symptom, execution.op->getName().getStringRef().str(),
       program::describeLocation(execution.op->getLoc()), execution.number});
}

namespace {
/// All executions of a run, and which reads which.
struct Recorded {
  std::vector<Execution> executions;
  std::map<std::string, std::vector<size_t>> readers;
  std::set<std::string> results; ///< of the program
  int64_t keptBytes = 0;

  bool add(const Execution &execution) {
    for (const Tensor &result : execution.results)
      keptBytes += result.heldBytes();
    for (const Tensor &operand : execution.operands)
      readers[identityOf(operand)].push_back(executions.size());
    executions.push_back(execution);
    return keptBytes < kKeptBytes && executions.size() < kKeptExecutions;
  }
  /// The program of some executions (ascending); its results are what others
  /// read of them.
  llvm::Expected<TestCase> part(llvm::ArrayRef<size_t> chosen) const;
};
} // namespace

llvm::Expected<TestCase> Recorded::part(llvm::ArrayRef<size_t> chosen) const {
  std::vector<const Execution *> list;
  for (size_t i : chosen)
    list.push_back(&executions[i]);
  return programOf(list, [&](const Tensor &tensor) {
    std::string identity = identityOf(tensor);
    auto found = readers.find(identity);
    return results.count(identity) > 0 || found == readers.end() ||
           llvm::any_of(found->second, [&](size_t reader) {
             return !std::binary_search(chosen.begin(), chosen.end(), reader);
           });
  });
}

static Symptom symptomOf(const Recorded &all, llvm::ArrayRef<size_t> chosen,
                         Trial &trial) {
  llvm::Expected<TestCase> test = all.part(chosen);
  if (test)
    return trial.symptom(*test);
  llvm::consumeError(test.takeError());
  return Symptom::None;
}

/// `chosen` without the window at `at`.
static std::vector<size_t> without(llvm::ArrayRef<size_t> chosen, size_t at,
                                   size_t width) {
  std::vector<size_t> rest(chosen.begin(), chosen.begin() + at);
  llvm::append_range(rest,
                     chosen.drop_front(std::min(at + width, chosen.size())));
  return rest;
}

/// Removes windows of half, a quarter, ... of the executions while the rest
/// fails in the same way.
static std::vector<size_t> smallestSet(const Recorded &all,
                                       std::vector<size_t> chosen,
                                       Symptom symptom, Trial &trial) {
  for (size_t width = chosen.size(); width > 0;) {
    bool removed = false;
    for (size_t at = 0; at < chosen.size() && chosen.size() > 1;) {
      auto place = [&](size_t i) { return at + i * width; };
      auto found = trial.first(
          (chosen.size() - at + width - 1) / width,
          [&](size_t i) -> llvm::Expected<TestCase> {
            std::vector<size_t> rest = without(chosen, place(i), width);
            if (rest.empty())
              return makeError(ErrorCode::InvalidArgument, "nothing is left");
            return all.part(rest);
          },
          symptom);
      if (trial.spent() && !found)
        return chosen;
      if (!found)
        break;
      at = place(found->first);
      chosen = without(chosen, at, width);
      removed = true;
    }
    if (!removed || width > chosen.size())
      width = std::min(width, chosen.size()) / 2;
  }
  return chosen;
}

/// The search where no operation fails alone.
static llvm::Error
searchSets(const std::shared_ptr<const program::Program> &program,
           llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
           const PlanMaker &plan, Trial &trial, GraphSearch &found) {
  Recorded all;
  bool whole = true;
  llvm::Expected<std::vector<Value>> results =
      walkExecutions(program, entry, inputs, plan, trial.pool(),
                     [&](const Execution &e) { return whole = all.add(e); });
  if (!results)
    return results.takeError();
  if (!whole) {
    found.note = "the run is too long to be searched for several operations "
                 "that fail together";
    return llvm::Error::success();
  }
  for (const Value &value : *results)
    if (value.isTensor())
      all.results.insert(identityOf(value.tensor()));
  std::vector<size_t> chosen(all.executions.size());
  for (size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = i;
  Symptom symptom =
      chosen.empty() ? Symptom::None : symptomOf(all, chosen, trial);
  if (symptom == Symptom::None)
    return llvm::Error::success();
  chosen = smallestSet(all, std::move(chosen), symptom, trial);
  llvm::Expected<TestCase> test = all.part(chosen);
  if (!test)
    return test.takeError();
  const Execution &first = all.executions[chosen.front()];
  found.parts.push_back(
      {std::move(*test), symptom, first.op->getName().getStringRef().str(),
       program::describeLocation(first.op->getLoc()), first.number});
  return llvm::Error::success();
}

/// The program itself, its entry as @main.
static llvm::Error
askWhole(const std::shared_ptr<const program::Program> &program,
         llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs, Trial &trial,
         GraphSearch &found) {
  TestCase whole{program, {inputs.begin(), inputs.end()}, {}, {}};
  llvm::Expected<mlir::func::FuncOp> function = program->function(entry);
  if (!function)
    return function.takeError();
  std::string name = function->getSymName().str();
  if (name != "main") {
    llvm::Expected<std::shared_ptr<const program::Program>> renamed =
        editedProgram(*program, [&](mlir::ModuleOp module) {
          for (auto other : module.getOps<mlir::func::FuncOp>())
            if (other.getSymName() == "main")
              other.setSymName("main_not_asked");
          mlir::SymbolTable::lookupSymbolIn(module, name)
              ->setAttr("sym_name",
                        mlir::StringAttr::get(module.getContext(), "main"));
        });
    if (!renamed)
      return renamed.takeError();
    whole.program = *renamed;
  }
  Symptom symptom = trial.symptom(whole);
  if (symptom != Symptom::None)
    found.parts.push_back(
        {std::move(whole), symptom, "the program", program->name(), 0});
  return llvm::Error::success();
}

llvm::Expected<GraphSearch>
judge::searchGraph(const std::shared_ptr<const program::Program> &program,
                   llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                   const PlanMaker &plan, Trial &trial) {
  GraphSearch found;
  for (Pass pass : {Pass::Cropped, Pass::Large, Pass::EveryBit}) {
    found.executions = 0;
    OneByOne search(trial, found, pass);
    llvm::Expected<std::vector<Value>> results = walkExecutions(
        program, entry, inputs, plan, trial.pool(),
        [&](const Execution &execution) { return search.visit(execution); });
    if (!results)
      return results.takeError();
    if (!found.parts.empty() || trial.spent())
      return found;
  }
  if (llvm::Error error =
          searchSets(program, entry, inputs, plan, trial, found))
    return error;
  if (found.parts.empty())
    if (llvm::Error error = askWhole(program, entry, inputs, trial, found))
      return error;
  return found;
}
