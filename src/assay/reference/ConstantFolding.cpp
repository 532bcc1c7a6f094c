// One operation after the other, in the order of the program, so that what one
// leaves is there for the next. An operation runs as a program of its own: its
// constants, itself, a return.
#include "assay/reference/ConstantFolding.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "mlir/IR/IRMapping.h"

#include <chrono>

namespace assay::reference {

using tensor::Tensor;

namespace {
class Folder {
public:
  explicit Folder(const FoldLimits &limits)
      : limits_(limits), start_(std::chrono::steady_clock::now()) {}
  /// True when the operation is gone.
  bool fold(mlir::Operation *op);
  FoldReport report;

private:
  double secondsLeft() const;
  llvm::Expected<std::vector<Tensor>> evaluate(mlir::Operation *op);

  const FoldLimits &limits_;
  std::chrono::steady_clock::time_point start_;
  ThreadPool threads_;
};
} // namespace

double Folder::secondsLeft() const {
  return limits_.maxSeconds - std::chrono::duration<double>(
                                  std::chrono::steady_clock::now() - start_)
                                  .count();
}

/// Operations that have the same results wherever and whenever they run.
static bool isDetermined(mlir::Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "stablehlo" && dialect != "chlo")
    return false;
  if (mlir::isa<stablehlo::ConstantOp, stablehlo::RngOp,
                stablehlo::CustomCallOp, stablehlo::CompositeOp,
                stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op) ||
      op->hasTrait<mlir::OpTrait::IsTerminator>() ||
      op->hasAttr("channel_handle") || op->hasAttr("replica_groups"))
    return false;
  return op->getNumResults() > 0 && mlir::isMemoryEffectFree(op);
}

/// Every value from outside that the operation reads is a constant.
static bool readsConstants(mlir::Operation *op) {
  bool constant = true;
  op->walk([&](mlir::Operation *inner) {
    if (inner != op && inner->hasAttr("replica_groups"))
      constant = false;
    for (mlir::Value operand : inner->getOperands()) {
      if (op->isAncestor(operand.getParentBlock()->getParentOp()))
        continue; // made inside
      mlir::Operation *maker = operand.getDefiningOp();
      constant &= maker && mlir::isa<stablehlo::ConstantOp>(maker);
    }
  });
  return constant;
}

/// The operation as a program without arguments.
static mlir::OwningOpRef<mlir::ModuleOp> programOf(mlir::Operation *op) {
  mlir::OpBuilder builder(op->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(op->getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(
      builder, op->getLoc(), "main",
      builder.getFunctionType({}, op->getResultTypes()));
  builder.setInsertionPointToStart(main.addEntryBlock());
  mlir::IRMapping mapping;
  op->walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !mapping.contains(operand))
        mapping.map(operand,
                    builder.clone(*operand.getDefiningOp())->getResult(0));
  });
  mlir::Operation *copy = builder.clone(*op, mapping);
  mlir::func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  return module;
}

llvm::Expected<std::vector<Tensor>> Folder::evaluate(mlir::Operation *op) {
  mlir::OwningOpRef<mlir::ModuleOp> module = programOf(op);
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::copyOf(*module, "a constant");
  if (!program)
    return program.takeError();
  ReferenceCompiler compiler;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(*program, compiler, {});
  if (!plan)
    return plan.takeError();
  program::RunContext run(threads_);
  if (limits_.maxSeconds > 0)
    run.interrupt.setTimeLimit(secondsLeft());
  llvm::Expected<std::vector<program::Value>> values =
      program::execute(**plan, {}, run);
  if (!values)
    return values.takeError();
  std::vector<Tensor> results;
  for (program::Value &value : *values)
    results.push_back(std::move(value.tensor()));
  return results;
}

/// The operands' constants that are not read any more.
static void eraseUnread(llvm::ArrayRef<mlir::Value> operands) {
  llvm::SmallPtrSet<mlir::Operation *, 4> makers;
  for (mlir::Value operand : operands)
    if (mlir::Operation *maker = operand.getDefiningOp())
      makers.insert(maker);
  for (mlir::Operation *maker : makers)
    if (maker->use_empty())
      maker->erase();
}

bool Folder::fold(mlir::Operation *op) {
  if (!isDetermined(op) || !readsConstants(op))
    return false;
  int64_t elements = 0;
  for (mlir::Type type : op->getResultTypes()) {
    llvm::Expected<tensor::TensorType> tensorType = program::tensorTypeOf(type);
    if (!tensorType) {
      llvm::consumeError(tensorType.takeError());
      return false;
    }
    if (tensorType->element.quantization)
      return false; // a constant has numbers, not their storage
    elements += mlir::cast<mlir::ShapedType>(type).getNumElements();
  }
  if (elements > limits_.maxElements) {
    ++report.tooLarge;
    return false;
  }
  if (limits_.maxSeconds > 0 && secondsLeft() <= 0) {
    report.outOfTime = true;
    return false;
  }
  llvm::Expected<std::vector<Tensor>> results = evaluate(op);
  if (!results) {
    ++report.failed;
    op->emitRemark() << "is not folded: "
                     << takeError(results.takeError()).message;
    return false;
  }
  mlir::OpBuilder builder(op);
  for (auto [result, tensor] : llvm::zip(op->getResults(), *results)) {
    llvm::Expected<mlir::DenseElementsAttr> value =
        program::attributeOf(op->getContext(), tensor);
    if (!value) {
      llvm::consumeError(value.takeError());
      return false;
    }
    auto constant = stablehlo::ConstantOp::create(builder, op->getLoc(),
                                                  result.getType(), *value);
    result.replaceAllUsesWith(constant->getResult(0));
  }
  llvm::SmallVector<mlir::Value> operands(op->getOperands());
  op->erase();
  eraseUnread(operands);
  ++report.folded;
  return true;
}

FoldReport foldConstants(mlir::ModuleOp module, const FoldLimits &limits) {
  Folder folder(limits);
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    return folder.fold(op) ? mlir::WalkResult::skip()
                           : mlir::WalkResult::advance();
  });
  return folder.report;
}

} // namespace assay::reference
