// Folds one operation after the other, in program order. Results are kept
// outside of the program for later operations. At the end only results that a
// remaining operation reads become constants, because a context keeps its
// attributes as long as it lives. An operation runs as a single step; one with
// regions runs as a program of its constants, itself and a return.
#include "assay/reference/ConstantFolding.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "mlir/IR/IRMapping.h"

#include <unordered_map>

namespace assay::reference {

using tensor::Tensor;

using Results = std::vector<program::Value>;

namespace {
class Folder {
public:
  explicit Folder(const FoldLimits &limits)
      : limits_(limits), threads_(limits.threads) {
    if (limits.maxSeconds > 0)
      run_.interrupt.setTimeLimit(limits.maxSeconds);
  }
  /// True when the results are known; the operation is only removed by
  /// replace().
  bool fold(mlir::Operation *op);
  /// Replaces folded values that a remaining operation reads by constants.
  void replace();
  FoldReport report;

private:
  bool isConstant(mlir::Value value) const;
  bool readsConstants(mlir::Operation *op) const;
  bool isSmall(mlir::Operation *op);
  llvm::Expected<program::Value *> valueOf(mlir::Value value);
  mlir::LogicalResult insertConstants(mlir::Operation *op);
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  programOf(mlir::Operation *op);
  llvm::Expected<Results> runAsProgram(mlir::Operation *op);
  llvm::Expected<Results> runAsStep(mlir::Operation *op);

  const FoldLimits &limits_;
  ThreadPool threads_;
  program::RunContext run_{threads_};
  ReferenceCompiler compiler_;
  /// The tensors of constants and of folded operations' results.
  std::unordered_map<void *, program::Value> known_;
  std::vector<mlir::Operation *> folded_;
};
} // namespace

/// Whether an operation has the same results wherever and whenever it runs.
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

/// Calls `visit` for each outside value that the operation or its regions read.
static void forEachRead(mlir::Operation *op,
                        llvm::function_ref<void(mlir::Value)> visit) {
  op->walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        visit(operand);
  });
}

static bool isConstantOp(mlir::Operation *op) {
  return op && mlir::isa<stablehlo::ConstantOp>(op);
}

bool Folder::isConstant(mlir::Value value) const {
  return isConstantOp(value.getDefiningOp()) ||
         known_.contains(value.getAsOpaquePointer());
}

bool Folder::readsConstants(mlir::Operation *op) const {
  bool constant = true;
  forEachRead(op, [&](mlir::Value value) { constant &= isConstant(value); });
  op->walk([&](mlir::Operation *inner) {
    constant &= inner == op || !inner->hasAttr("replica_groups");
  });
  return constant;
}

/// The tensor of a constant or of a folded operation's result.
llvm::Expected<program::Value *> Folder::valueOf(mlir::Value value) {
  auto it = known_.find(value.getAsOpaquePointer());
  if (it != known_.end())
    return &it->second;
  auto type = program::tensorTypeOf(value.getType());
  if (!type)
    return type.takeError();
  mlir::Operation *maker = value.getDefiningOp();
  auto tensor = program::tensorOf(
      maker->getAttrOfType<mlir::ElementsAttr>("value"),
      // owns nothing: the context outlives the view
      {std::shared_ptr<void>(), maker->getContext()});
  if (!tensor)
    return tensor.takeError();
  program::Value &known = known_[value.getAsOpaquePointer()];
  known = type->element.quantization ? tensor->bitcast(type->element) : *tensor;
  return &known;
}

/// Makes a program without arguments from the operation.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
Folder::programOf(mlir::Operation *op) {
  mlir::OpBuilder builder(op->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(op->getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(
      builder, op->getLoc(), "main",
      builder.getFunctionType({}, op->getResultTypes()));
  builder.setInsertionPointToStart(main.addEntryBlock());
  mlir::IRMapping mapping;
  llvm::Error error = llvm::Error::success();
  forEachRead(op, [&](mlir::Value value) {
    if (mapping.contains(value) || error)
      return;
    mlir::Operation *maker = value.getDefiningOp();
    if (isConstantOp(maker)) {
      mapping.map(value, builder.clone(*maker)->getResult(0));
      return;
    }
    auto made = program::attributeOf(
        op->getContext(), known_[value.getAsOpaquePointer()].tensor());
    if (made)
      mapping.map(value, stablehlo::ConstantOp::create(builder, op->getLoc(),
                                                       value.getType(), *made)
                             ->getResult(0));
    else
      error = made.takeError();
  });
  if (error)
    return error;
  mlir::Operation *copy = builder.clone(*op, mapping);
  mlir::func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  return module;
}

llvm::Expected<Results> Folder::runAsProgram(mlir::Operation *op) {
  auto module = programOf(op);
  if (!module)
    return module.takeError();
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::copyOf(**module, "a constant");
  if (!program)
    return program.takeError();
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(*program, compiler_, {});
  if (!plan)
    return plan.takeError();
  return program::execute(**plan, {}, run_);
}

llvm::Expected<Results> Folder::runAsStep(mlir::Operation *op) {
  program::NumericOptions numeric;
  program::StepSpec spec{op, {}, {}, numeric};
  program::StepContext context(run_, op);
  for (mlir::Value operand : op->getOperands()) {
    auto value = valueOf(operand);
    if (!value)
      return value.takeError();
    context.operands.push_back(*value);
    spec.operands.push_back((*value)->tensor().type());
  }
  context.dying.assign(op->getNumOperands(), false);
  for (mlir::Type type : op->getResultTypes())
    spec.results.push_back(llvm::cantFail(program::tensorTypeOf(type)));
  auto step = compiler_.compile(spec);
  if (!step)
    return step.takeError();
  Results results(op->getNumResults());
  if (!(*step)->ownsResults())
    for (auto [value, type] : llvm::zip(results, spec.results)) {
      auto memory = context.allocate(type);
      if (!memory)
        return memory.takeError();
      value = program::Value(std::move(*memory));
    }
  context.results = results;
  if (llvm::Error error = (*step)->run(context))
    return error;
  return results;
}

/// Whether the results can be stored in constants and are within the limit.
bool Folder::isSmall(mlir::Operation *op) {
  int64_t elements = 0;
  for (mlir::Type type : op->getResultTypes()) {
    llvm::Expected<tensor::TensorType> tensorType = program::tensorTypeOf(type);
    if (!tensorType) {
      llvm::consumeError(tensorType.takeError());
      return false;
    }
    if (tensorType->element.quantization)
      return false; // a constant cannot hold stored quantised integers
    elements += mlir::cast<mlir::ShapedType>(type).getNumElements();
  }
  bool small = elements <= limits_.maxElements;
  report.tooLarge += !small;
  return small;
}

bool Folder::fold(mlir::Operation *op) {
  if ((limits_.folds && !limits_.folds(op)) || !isDetermined(op) ||
      !readsConstants(op) || !isSmall(op))
    return false;
  if (llvm::Error error = run_.interrupt.check()) {
    llvm::consumeError(std::move(error));
    report.outOfTime = true;
    return false;
  }
  llvm::Expected<Results> results =
      op->getNumRegions() ? runAsProgram(op) : runAsStep(op);
  if (!results) {
    ++report.failed;
    op->emitRemark() << "is not folded: "
                     << takeError(results.takeError()).message;
    return false;
  }
  for (auto [result, value] : llvm::zip(op->getResults(), *results))
    known_[result.getAsOpaquePointer()] = std::move(value);
  folded_.push_back(op);
  ++report.folded;
  return true;
}

mlir::LogicalResult Folder::insertConstants(mlir::Operation *op) {
  mlir::OpBuilder builder(op);
  for (mlir::Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    auto value = program::attributeOf(
        op->getContext(), known_[result.getAsOpaquePointer()].tensor());
    if (!value) {
      llvm::consumeError(value.takeError());
      return mlir::failure();
    }
    result.replaceAllUsesWith(
        stablehlo::ConstantOp::create(builder, op->getLoc(), result.getType(),
                                      *value)
            ->getResult(0));
  }
  return mlir::success();
}

void Folder::replace() {
  // Readers first, so that values which only they read are unused afterwards.
  for (mlir::Operation *op : llvm::reverse(folded_)) {
    if (mlir::failed(insertConstants(op)))
      continue;
    llvm::SmallSetVector<mlir::Operation *, 4> constants;
    forEachRead(op, [&](mlir::Value value) {
      if (isConstantOp(value.getDefiningOp()))
        constants.insert(value.getDefiningOp());
    });
    op->erase();
    for (mlir::Operation *constant : constants)
      if (constant->use_empty())
        constant->erase();
  }
}

FoldReport foldConstants(mlir::ModuleOp module, const FoldLimits &limits) {
  Folder folder(limits);
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    return folder.fold(op) ? mlir::WalkResult::skip()
                           : mlir::WalkResult::advance();
  });
  folder.replace();
  return folder.report;
}

} // namespace assay::reference
