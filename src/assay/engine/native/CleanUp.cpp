// Inlining is program/Inlining.h's, folding reference/ConstantFolding.h's: the
// native engine decides which calls and which operations. An
// operation that would fail is left to the run.
#include "assay/engine/native/CleanUp.h"

#include "assay/dialect/Chlo.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/KnownType.h"
#include "assay/program/Inlining.h"
#include "assay/reference/ConstantFolding.h"
#include "assay/reference/Elementwise.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace assay::engine {

using mlir::Operation;

//===--- Calls ----------------------------------------------------------===//

/// A composite, or a call with more attributes than its function: a run treats them as
/// calls.
static bool isOtherCall(Operation *op) {
  return mlir::isa<stablehlo::CompositeOp>(op) ||
         (mlir::isa<mlir::func::CallOp>(op) &&
          op->getAttrDictionary().size() > 1);
}

/// What JAX's serialization made of a chlo.top_k, which sorts all to choose a few;
/// null for any other composite. Selections are exact, so the result is the same.
static Operation *topKOf(stablehlo::CompositeOp composite) {
  auto k = composite.getCompositeAttributes().getAs<mlir::IntegerAttr>("k");
  if (composite.getName() != "chlo.top_k" || !k ||
      composite.getCompositeAttributes().size() != 1 ||
      composite->getNumOperands() != 1 || composite->getNumResults() != 2)
    return nullptr;
  mlir::RankedTensorType type = typeOfValue(composite->getOperand(0)),
                         indices = typeOfValue(composite->getResult(1));
  if (!type || !indices || !type.getElementType().isIntOrFloat() ||
      !indices.getElementType().isSignlessInteger(32))
    return nullptr;
  mlir::OpBuilder builder(composite);
  return chlo::TopKOp::create(builder, composite.getLoc(),
                              composite.getResultTypes(),
                              composite->getOperand(0),
                              builder.getI64IntegerAttr(k.getInt()),
                              builder.getBoolAttr(true));
}

void inlineCalls(mlir::ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isOtherCall(op))
      return;
    auto composite = mlir::dyn_cast<stablehlo::CompositeOp>(op);
    if (Operation *topK = composite ? topKOf(composite) : nullptr) {
      op->replaceAllUsesWith(topK);
      return op->erase();
    }
    llvm::StringRef callee =
        composite ? llvm::StringRef(composite.getDecomposition())
                  : mlir::cast<mlir::func::CallOp>(op).getCallee();
    mlir::OpBuilder builder(op);
    op->replaceAllUsesWith(mlir::func::CallOp::create(
        builder, op->getLoc(), callee, op->getResultTypes(),
        op->getOperands()));
    op->erase();
  });
  program::inlineSmallCalls(module);
}

//===--- Constants ------------------------------------------------------===//

static constexpr int64_t kMostElements = 1 << 20;

static bool isFoldable(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !(reference::ElementwiseFunction::knows(op) ||
        mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                  stablehlo::TransposeOp, stablehlo::SliceOp,
                  stablehlo::IotaOp>(op)))
    return false;
  mlir::RankedTensorType type = typeOfValue(op->getResult(0));
  return type && type.getNumElements() <= kMostElements;
}

void foldConstants(mlir::ModuleOp module) {
  reference::FoldLimits limits;
  limits.maxElements = kMostElements;
  limits.maxSeconds = 0;
  limits.folds = isFoldable;
  limits.threads = 1;
  reference::foldConstants(module, limits);
}

//===--- Dead code ------------------------------------------------------===//

static bool isDead(Operation *op) {
  return op->getNumResults() > 0 && op->use_empty() &&
         !op->hasTrait<mlir::OpTrait::IsTerminator>() &&
         mlir::isMemoryEffectFree(op);
}

void removeDeadCode(mlir::ModuleOp module) {
  // Readers come first.
  module->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>(
      [](Operation *op) {
        if (isDead(op))
          op->erase();
      });
}

} // namespace assay::engine
