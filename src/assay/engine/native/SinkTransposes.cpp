// Transposes after elementwise operations, before a program is planned. A scale
// of an attention's heads, or of a layer's channels, follows the transpose
// that the program needs; there it would be a separate loop that gathers
// its elements one by one. Before the transpose it joins the loop of the
// bias, and the transpose becomes a product's view, or cancels the one
// that channels last bring (PlanarLayout.cpp).
//
//   op(transpose(x), broadcast(s), constant) = transpose(op(x, broadcast'(s), constant'))
#include "assay/engine/native/SinkTransposes.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/KnownType.h"
#include "assay/reference/Elementwise.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace assay::engine {

using mlir::Operation;
using mlir::RankedTensorType;

static llvm::ArrayRef<int64_t> permutationOf(Operation *transpose) {
  return transpose
      ->getAttrOfType<mlir::DenseI64ArrayAttr>("permutation")
      .asArrayRef();
}

static Operation *transposeOf(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  return op && mlir::isa<stablehlo::TransposeOp>(op) &&
                 typeOfValue(op->getOperand(0))
             ? op
             : nullptr;
}

static bool isSplat(mlir::Value value) {
  mlir::DenseElementsAttr constant;
  return mlir::matchPattern(value, mlir::m_Constant(&constant)) &&
         constant.isSplat() && value.getDefiningOp()->hasAttr("value");
}

/// The transpose that all operands which are not constants or broadcasts have in
/// common, or null.
static Operation *commonTranspose(Operation *op) {
  bool known = reference::ElementwiseFunction::knows(op) &&
               !op->getName().getStringRef().starts_with("chlo.broadcast_") &&
               op->getNumResults() == 1;
  RankedTensorType result =
      known ? typeOfValue(op->getResult(0)) : RankedTensorType();
  if (!result)
    return nullptr;
  Operation *common = nullptr;
  for (mlir::Value operand : op->getOperands()) {
    RankedTensorType type = typeOfValue(operand);
    if (!type || (type.getRank() != 0 && type.getShape() != result.getShape()))
      return nullptr;
    Operation *made = operand.getDefiningOp();
    if (type.getRank() == 0 || isSplat(operand) ||
        (made && mlir::isa<stablehlo::BroadcastInDimOp>(made)))
      continue;
    Operation *transpose = transposeOf(operand);
    if (!transpose ||
        (common && permutationOf(common) != permutationOf(transpose)))
      return nullptr;
    common = transpose;
  }
  return common;
}

/// Products read it, through transposes and dimensions of size 1 at most.
static bool isReadByProducts(mlir::Value value) {
  auto withoutOnes = [](mlir::Value of) {
    llvm::SmallVector<int64_t> shape;
    llvm::copy_if(typeOfValue(of).getShape(), std::back_inserter(shape),
                  [](int64_t size) { return size != 1; });
    return shape;
  };
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (mlir::isa<stablehlo::DotGeneralOp>(user))
             return true;
           bool isView = mlir::isa<stablehlo::TransposeOp>(user) ||
                         (mlir::isa<stablehlo::ReshapeOp>(user) &&
                          typeOfValue(user->getResult(0)) &&
                          withoutOnes(user->getResult(0)) == withoutOnes(value));
           return isView && isReadByProducts(user->getResult(0));
         });
}

/// Images with channels last, brought to where features have planes.
static bool makesPlanes(llvm::ArrayRef<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  if (rank < 3 || permutation[0] != 0 || permutation[1] != rank - 1)
    return false;
  for (int64_t d = 2; d < rank; ++d)
    if (permutation[static_cast<size_t>(d)] != d - 1)
      return false;
  return true;
}

/// The transpose that is to come after the operation, or null.
static Operation *sunk(Operation *op, bool hasPlanes) {
  Operation *transpose = commonTranspose(op);
  bool gains = transpose && (isReadByProducts(op->getResult(0)) ||
                             (hasPlanes && makesPlanes(permutationOf(transpose))));
  return gains ? transpose : nullptr;
}

/// The operand in the order of the transpose's own operand.
static mlir::Value inOrder(mlir::OpBuilder &builder, mlir::Value operand,
                           Operation *transpose) {
  if (typeOfValue(operand).getRank() == 0)
    return operand;
  if (Operation *own = transposeOf(operand))
    return own->getOperand(0);
  auto type = RankedTensorType::get(
      typeOfValue(transpose->getOperand(0)).getShape(),
      typeOfValue(operand).getElementType());
  Operation *made = builder.insert(operand.getDefiningOp()->clone());
  made->getResult(0).setType(type);
  mlir::DenseElementsAttr constant;
  if (mlir::matchPattern(operand, mlir::m_Constant(&constant))) {
    made->setAttr("value", constant.resizeSplat(type));
    return made->getResult(0);
  }
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim :
       made->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions")
           .asArrayRef())
    dims.push_back(permutationOf(transpose)[static_cast<size_t>(dim)]);
  made->setAttr("broadcast_dimensions", builder.getDenseI64ArrayAttr(dims));
  return made->getResult(0);
}

static void sink(Operation *op, Operation *transpose) {
  mlir::OpBuilder builder(op);
  llvm::SmallVector<mlir::Value, 3> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(inOrder(builder, operand, transpose));
  RankedTensorType type = typeOfValue(op->getResult(0));
  Operation *made = builder.insert(op->clone());
  made->setOperands(operands);
  made->getResult(0).setType(
      RankedTensorType::get(typeOfValue(transpose->getOperand(0)).getShape(),
                            type.getElementType()));
  Operation *behind = builder.insert(transpose->clone());
  behind->setOperands(made->getResult(0));
  behind->getResult(0).setType(type);
  op->getResult(0).replaceAllUsesWith(behind->getResult(0));
  op->erase();
}

static bool hasPlanarImages(mlir::ModuleOp module) {
  bool found = false;
  module.walk([&](stablehlo::ConvolutionOp op) {
    found |= op.getDimensionNumbers().getInputFeatureDimension() == 1;
  });
  return found;
}

void sinkTransposes(mlir::ModuleOp module) {
  bool hasPlanes = hasPlanarImages(module);
  // In their order: where one pass has put a transpose, the next may sink it further.
  llvm::SmallVector<Operation *> all;
  module.walk([&](Operation *op) { all.push_back(op); });
  for (Operation *op : all)
    if (Operation *transpose = sunk(op, hasPlanes))
      sink(op, transpose);
}

} // namespace assay::engine
