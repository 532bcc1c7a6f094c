// The plan of a watched run keeps every operation separate. Before a step its
// operands are saved, because a step may reuse the memory of operands that die
// with it. After the step, the operation is judged as a separate program on the
// operands that it really read, so that it is not blamed for an earlier error.
#include "Watching.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/program/Plan.h"
#include "assay/program/Program.h"
#include "assay/trace/OneOp.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cmath>

namespace assay::pjrt {

using program::StepNode;
using program::Value;
using tensor::Tensor;

std::shared_ptr<const program::Program>
SingleOperations::of(mlir::Operation *op) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto [it, isNew] = made_.try_emplace(op);
  // The id of the process differs where the operation runs alone.
  if (!isNew || mlir::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op))
    return it->second;
  auto given = op->getAttrOfType<mlir::StringAttr>("assay.reference");
  std::string bytes = given ? "" : trace::oneOpProgram(op);
  if (!given && bytes.empty())
    return it->second;
  auto made = given ? program::Program::parse(given, "<reference>")
                    : program::Program::fromBytecode(bytes, "<operation>");
  if (made)
    it->second = std::move(*made);
  else
    llvm::consumeError(made.takeError());
  return it->second;
}

/// "stablehlo.custom_call @target (the Python function that it calls)".
static std::string nameOf(mlir::Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name"))
    name += " @" + target.str();
  if (auto function = op->getAttrOfType<mlir::StringAttr>("assay.function"))
    name += " (" + function.str() + ")";
  return name;
}

std::string sourceOf(mlir::Operation *op) {
  std::vector<std::string> places;
  std::string name;
  constexpr size_t kMostPlaces = 6;
  op->getLoc()->walk([&](mlir::Location each) {
    if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(each)) {
      std::string place = llvm::formatv(
          "{0}:{1}", file.getFilename().getValue(), file.getLine());
      if (places.size() < kMostPlaces && !llvm::is_contained(places, place))
        places.push_back(std::move(place));
    } else if (auto named = mlir::dyn_cast<mlir::NameLoc>(each);
               named && name.empty()) {
      name = named.getName().str();
    }
    return mlir::WalkResult::advance();
  });
  std::string text = places.empty() ? "unknown place" : places[0];
  if (!name.empty())
    text += " (\"" + name + "\")";
  for (size_t i = 1; i < places.size(); ++i)
    text += (i == 1 ? ", called from " : ", ") + places[i];
  return text;
}

/// The index of the first NaN; -1 if there is none.
static int64_t firstNan(const Tensor &tensor) {
  numerics::ElementType part = tensor.elementType().part();
  if (!part.isFloat())
    return -1;
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense) {
    llvm::consumeError(dense.takeError());
    return -1;
  }
  int64_t parts = tensor.elementType().isComplex() ? 2 : 1;
  std::vector<double> values(4096);
  for (int64_t at = 0; at < dense->size();) {
    int64_t count = std::min<int64_t>(dense->size() - at, 2048);
    judge::wideElements(*dense, at, count, values.data());
    for (int64_t i = 0; i < count * parts; ++i)
      if (std::isnan(values[static_cast<size_t>(i)]))
        return at + i / parts;
    at += count;
  }
  return -1;
}

/// The plan of a device has a step for the whole program, before those of its
/// operations.
bool OperationCheck::isJudged(const StepNode &node) const {
  return first_->found_.empty() && node.control == StepNode::Control::Data &&
         !mlir::isa<mlir::FunctionOpInterface>(node.op);
}

static bool hasNan(llvm::ArrayRef<Tensor> tensors) {
  return llvm::any_of(tensors, [](const Tensor &tensor) {
    return tensor.valid() && firstNan(tensor) >= 0;
  });
}

/// Operations whose results come from the operands of other processes.
static bool isExchange(mlir::Operation *op) {
  return mlir::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
                   stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp,
                   stablehlo::CollectivePermuteOp, stablehlo::ReduceScatterOp>(
      op);
}

void OperationCheck::beforeStep(const StepNode &node,
                                llvm::ArrayRef<Value *> operands) {
  if (!isJudged(node))
    return;
  Operands &kept = operands_[node.op];
  kept.clear();
  // In the plan of a device, the operands are followed by the results.
  for (Value *operand : operands.take_front(node.op->getNumOperands()))
    kept.push_back(operand->isTensor() ? operand->tensor() : Tensor());
  if (rule_ == "nan" && isExchange(node.op) && hasNan(kept))
    first_->exchangesNan_.insert(node.op);
}

std::string OperationCheck::nanIn(mlir::Operation *op, const Operands &operands,
                                  llvm::ArrayRef<Value> results) const {
  if (hasNan(operands) || first_->exchangesNan_.count(op))
    return "";
  for (auto [i, result] : llvm::enumerate(results))
    if (result.isTensor())
      if (int64_t at = firstNan(result.tensor()); at >= 0)
        return llvm::formatv("it makes a NaN of operands without one: result "
                             "{0}, {1}, element {2}",
                             i, tensor::toString(result.tensor().type()), at)
            .str();
  return "";
}

/// The error found, empty if there is none; nullopt if the operation has no
/// expected result.
std::optional<std::string>
OperationCheck::judged(mlir::Operation *op, const Operands &operands,
                       llvm::ArrayRef<Value> results) const {
  std::shared_ptr<const program::Program> alone = operations_.of(op);
  if (!alone)
    return std::nullopt;
  std::vector<Tensor> inputs, kept;
  std::vector<judge::ProgramResult> got;
  for (const Tensor &operand : operands) {
    llvm::Expected<Tensor> dense = operand.dense();
    if (!dense) {
      llvm::consumeError(dense.takeError());
      return std::nullopt;
    }
    inputs.push_back(std::move(*dense));
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    llvm::Expected<Tensor> dense = result.tensor().dense();
    if (!dense) {
      llvm::consumeError(dense.takeError());
      return std::nullopt;
    }
    kept.push_back(std::move(*dense));
    got.push_back({"result " + std::to_string(i), kept.back().bytes()});
  }
  judge::ProgramJudgeOptions options;
  options.rule = rule_;
  options.maxSeconds = 60;
  judge::ProgramJudge judge(alone, options, pool_);
  if (llvm::Error error = judge.prepare(inputs)) {
    // For an operation that the reference cannot run alone (a custom call, an
    // exchange between processes) the true result is unknown.
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  judge::ProgramVerdict verdict = judge.judge(got, "normal");
  // For an ill-conditioned system the error of another solver proves nothing.
  bool isGuess = mlir::isa<stablehlo::CustomCallOp>(op) &&
                 !op->hasAttr("assay.reference") && !verdict.noBound.empty();
  if (verdict.status == judge::Status::Mistrusted || isGuess)
    return std::nullopt;
  if (verdict.status != judge::Status::Failed)
    return "";
  std::string text = verdict.reason;
  for (const std::string &finding : verdict.findings)
    text += "\n  " + finding;
  return text;
}

void OperationCheck::onStep(const StepNode &node, llvm::ArrayRef<Value *>,
                            llvm::ArrayRef<Value> results, int64_t) {
  auto kept = operands_.find(node.op);
  if (!isJudged(node) || kept == operands_.end())
    return;
  Operands operands = std::move(kept->second);
  operands_.erase(kept);
  bool whole =
      llvm::all_of(operands, [](const Tensor &t) { return t.valid(); });
  std::optional<std::string> wrong;
  if (llvm::all_of(results, [](const Value &v) { return v.isTensor(); })) {
    if (rule_ == "nan")
      wrong = nanIn(node.op, operands, results);
    else if (whole)
      wrong = judged(node.op, operands, results);
  }
  if (!wrong)
    return tally_.addPassedOver(node.op);
  tally_.addJudged(!wrong->empty());
  if (!wrong->empty())
    first_->found_ = llvm::formatv("the first wrong operation is {0} at {1}: {2}",
                                   nameOf(node.op), sourceOf(node.op), *wrong)
                         .str();
}

void CheckTally::addJudged(bool isWrong) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++judged_;
  wrong_ += isWrong;
}

void CheckTally::addPassedOver(mlir::Operation *op) {
  if (op->getNumResults() == 0) // without results there is nothing to judge
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  ++passedOver_[nameOf(op)];
}

std::string CheckTally::line(llvm::StringRef rule) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (judged_ == 0 && passedOver_.empty())
    return "";
  std::string text =
      llvm::formatv("ASSAY_CHECK={0}: {1} operations judged, {2} wrong", rule,
                    judged_, wrong_ ? std::to_string(wrong_) : "none")
          .str();
  for (const auto &[name, count] : passedOver_)
    text += (text.find("; not judged: ") == std::string::npos
                 ? "; not judged: "
                 : ", ") +
            std::to_string(count) + " " + name;
  if (llvm::any_of(passedOver_, [](const auto &each) {
        return llvm::StringRef(each.first).contains("custom_call");
      }))
    text += "; assay.jax.reference says what a foreign function should compute";
  return text;
}

namespace {
/// The tally of this process; prints its line when the process ends.
struct LastWord {
  CheckTally tally;
  std::string rule;
  ~LastWord() {
    if (std::string line = tally.line(rule); !line.empty())
      llvm::errs() << "assay: " << line << "\n";
  }
};
} // namespace

llvm::Error OperationCheck::takeError() const {
  if (found_.empty())
    return llvm::Error::success();
  return makeError(assay::ErrorCode::Mismatch, "ASSAY_CHECK={0}: {1}", rule_,
                   found_);
}

llvm::Expected<std::unique_ptr<Watching>>
Watching::begin(const Options &options, llvm::StringRef program,
                SingleOperations &operations, program::RunContext &context) {
  auto made = std::make_unique<Watching>();
  if (!options.check.empty()) {
    static LastWord last;
    last.rule = options.check;
    made->check_ = std::make_unique<OperationCheck>(
        options.check, operations, context.threads, last.tally);
    context.observers.push_back(made->check_.get());
  }
  if (!options.record.empty()) {
    static std::atomic<int> runs{0};
    std::string path =
        llvm::formatv("{0}/{1,0+5}-{2}.h5", options.record, ++runs, program)
            .str();
    if (llvm::Error error =
            trace::DumpWriter::create(path).moveInto(made->writer_))
      return error;
    made->recorder_ = std::make_unique<trace::ProgramRecorder>(*made->writer_);
    context.observers.push_back(made->recorder_.get());
  }
  return made;
}

llvm::Error Watching::finish() {
  if (recorder_) {
    if (llvm::Error error = recorder_->takeError())
      return error;
    llvm::Expected<trace::DumpStatistics> statistics = writer_->close();
    if (!statistics)
      return statistics.takeError();
  }
  return check_ ? check_->takeError() : llvm::Error::success();
}

} // namespace assay::pjrt
