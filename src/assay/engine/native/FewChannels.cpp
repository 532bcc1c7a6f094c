// The gradient of the data of a strided layer with three channels has three results per
// position: with channels last, kernels fill three lanes of a vector. In planes the filter
// is multiplied by the gradient, and the products are folded into the planes
// (PlanesConvolution.cpp), with vectors of positions for any number of channels. It is
// computed in f32, which holds products of 16-bit types; their sums are rounded once, as
// in the kernels of these types.
#include "assay/engine/native/FewChannels.h"

#include "assay/engine/native/ConvProblems.h"
#include "assay/engine/native/Transposed.h"

namespace assay::engine {

using mlir::Operation;
using mlir::RankedTensorType;

/// More fill a quarter of a vector and are as fast as folded planes; less work does
/// not pay for two transposes (Zen 5, 24 November 2026).
static constexpr int64_t kMostChannels = 4;
static constexpr double kLeastWork = 1 << 20;

static bool isDilated(stablehlo::ConvolutionOp op) {
  auto dilation = op.getLhsDilation();
  return dilation && llvm::any_of(*dilation, [](int64_t d) { return d > 1; });
}

static bool gainsInPlanes(stablehlo::ConvolutionOp op) {
  RankedTensorType in = typeOfValue(op->getOperand(0)),
                   filter = typeOfValue(op->getOperand(1)),
                   out = typeOfValue(op->getResult(0));
  if (!in || !filter || !out || in.getRank() < 3 || in.getRank() > 5 ||
      op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1 ||
      !isDilated(op))
    return false;
  mlir::Type type = in.getElementType();
  if ((!type.isF32() && !type.isBF16() && !type.isF16()) ||
      filter.getElementType() != type || out.getElementType() != type)
    return false;
  return areChannelsLast(op.getDimensionNumbers()) &&
         out.getShape().back() <= kMostChannels &&
         double(in.getNumElements()) * double(filter.getNumElements()) >=
             kLeastWork * double(in.getShape().back());
}

static mlir::Value converted(mlir::OpBuilder &builder, mlir::Value value,
                             mlir::Type type) {
  if (typeOfValue(value).getElementType() == type)
    return value;
  mlir::OperationState state(value.getLoc(),
                             stablehlo::ConvertOp::getOperationName());
  state.addOperands(value);
  state.addTypes(RankedTensorType::get(typeOfValue(value).getShape(), type));
  return builder.create(state)->getResult(0);
}

static void moveIntoPlanes(stablehlo::ConvolutionOp op) {
  mlir::OpBuilder builder(op);
  int64_t rank = typeOfValue(op->getOperand(0)).getRank();
  llvm::SmallVector<int64_t> first{0, rank - 1}, last{0}, spatial;
  for (int64_t d = 2; d < rank; ++d) {
    first.push_back(d - 1);
    last.push_back(d);
    spatial.push_back(d);
  }
  last.push_back(1);
  RankedTensorType type = typeOfValue(op->getResult(0));
  llvm::SmallVector<int64_t> shape;
  for (int64_t d : first)
    shape.push_back(type.getDimSize(d));
  auto dims = op.getDimensionNumbers();
  mlir::Type sums = builder.getF32Type();
  mlir::Value operands[] = {
      converted(builder, transposed(builder, op->getOperand(0), first, op->getLoc()), sums),
      converted(builder, op->getOperand(1), sums)};
  Operation *made = builder.insert(op->clone());
  made->setOperands(operands);
  made->setAttr("dimension_numbers",
                stablehlo::ConvDimensionNumbersAttr::get(
                    op->getContext(), 0, 1, spatial,
                    dims.getKernelInputFeatureDimension(),
                    dims.getKernelOutputFeatureDimension(),
                    dims.getKernelSpatialDimensions(), 0, 1, spatial));
  made->getResult(0).setType(RankedTensorType::get(shape, sums));
  mlir::Value result =
      converted(builder, made->getResult(0), type.getElementType());
  op->getResult(0).replaceAllUsesWith(transposed(builder, result, last, op->getLoc()));
  op->erase();
}

void moveFewChannelsIntoPlanes(mlir::ModuleOp module) {
  llvm::SmallVector<stablehlo::ConvolutionOp> all;
  module.walk([&](stablehlo::ConvolutionOp op) { all.push_back(op); });
  for (stablehlo::ConvolutionOp op : all)
    if (gainsInPlanes(op))
      moveIntoPlanes(op);
}

} // namespace assay::engine
