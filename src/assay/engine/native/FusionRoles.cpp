// Which steps a fused loop can hold at all: elementwise operations that have a
// typed loop, and reductions along rows that stay in the cache.
#include "assay/engine/native/FusionRoles.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Groups.h"
#include "assay/program/Types.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/Fold.h"
#include "assay/reference/LaneProgram.h"
#include "assay/support/Math.h"

namespace assay::engine {

using numerics::ElementType;
using mlir::Operation;
using program::TensorType;
using tensor::Shape;

std::optional<TensorType> knownTypeOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  auto known = program::tensorTypeOf(type);
  if (known)
    return *known;
  llvm::consumeError(known.takeError());
  return std::nullopt;
}

Shape withoutOnes(llvm::ArrayRef<int64_t> shape) {
  Shape result;
  llvm::copy_if(shape, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  return result;
}

int64_t elementsOf(llvm::ArrayRef<int64_t> shape) {
  return product(shape);
}

std::optional<reference::ElementwiseFunction>
elementwiseFunctionOf(mlir::Operation *op) {
  llvm::SmallVector<ElementType, 3> types;
  for (mlir::Value operand : op->getOperands()) {
    auto type = knownTypeOf(operand);
    if (!type)
      return std::nullopt;
    types.push_back(type->element);
  }
  auto result = knownTypeOf(op->getResult(0));
  if (!result)
    return std::nullopt;
  auto function =
      reference::ElementwiseFunction::make(op, types, result->element);
  if (function)
    return *function;
  llvm::consumeError(function.takeError());
  return std::nullopt;
}

static FusionRole roleOfElementwise(Operation *op, const TensorType &result) {
  if (op->getName().getStringRef().starts_with("chlo.broadcast_") ||
      op->getNumOperands() == 0 || op->getNumOperands() > 3)
    return FusionRole::None;
  // A scalar predicate or bound is read as a broadcast one.
  for (mlir::Value operand : op->getOperands()) {
    auto type = knownTypeOf(operand);
    if (!type ||
        (type->shape != result.shape && elementsOf(type->shape) != 1))
      return FusionRole::None;
  }
  return elementwiseFunctionOf(op) ? FusionRole::Elementwise
                                        : FusionRole::None;
}

static FusionRole roleOfReduction(Operation *op, const TensorType &result) {
  if (op->getNumOperands() != 2)
    return FusionRole::None;
  auto operand = knownTypeOf(op->getOperand(0)),
       init = knownTypeOf(op->getOperand(1));
  if (!operand || !init || llvm::is_contained(operand->shape, 0) ||
      !(operand->element == result.element) ||
      !(init->element == result.element))
    return FusionRole::None;
  // Reduced dimensions must come last; those of size 1 do not count.
  reference::Ints dims = reference::intsOf(op, "dimensions");
  bool reduced = false;
  for (size_t d = 0; d < operand->shape.size(); ++d) {
    if (operand->shape[d] == 1)
      continue;
    bool here = llvm::is_contained(dims, static_cast<int64_t>(d));
    if (reduced && !here)
      return FusionRole::None;
    reduced |= here;
  }
  // Rows longer than the caches gain nothing here, nor does a long single row.
  int64_t rows = elementsOf(result.shape), all = elementsOf(operand->shape);
  constexpr int64_t kMostLength = 1 << 17, kMostAlone = 1 << 14;
  if (all / rows > (rows == 1 ? kMostAlone : kMostLength))
    return FusionRole::None;
  mlir::Operation *single =
      reference::singleBinaryOperation(op->getRegion(0));
  return reduced && single && reference::Fold::make(single, result.element)
             ? FusionRole::Reduction
             : FusionRole::None;
}

FusionRole fusionRoleOf(Operation *op) {
  if (op->getNumResults() != 1 || isObserved(op))
    return FusionRole::None;
  auto result = knownTypeOf(op->getResult(0));
  if (!result || llvm::is_contained(result->shape, 0))
    return FusionRole::None;
  if (reference::ElementwiseFunction::knows(op))
    return roleOfElementwise(op, *result);
  return mlir::isa<stablehlo::ReduceOp>(op) ? roleOfReduction(op, *result)
                                            : FusionRole::None;
}

} // namespace assay::engine
