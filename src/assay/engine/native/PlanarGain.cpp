// With channels last nothing is unfolded, and groups are not products one by one;
// what that saves grows with the multiply-adds, what transposes cost with the
// elements. Windows of one element are products as they lie. Gradients of strided
// convolutions in f32 are folded planes, which is as good; those of 16 bits are
// not. Bytes go like 16 bits where the program widens them; other types stay.
#include "assay/engine/native/PlanarGain.h"

namespace assay::engine {

/// Multiply-adds an element that is transposed or packed, from which on it pays.
static constexpr double kWork = 200, kWorkOfGroups = 50;
/// Shorter lines of positions leave register blocks empty.
static constexpr int64_t kShortestLine = 14;

static double elementsOf(mlir::Value value) {
  return double(
      mlir::cast<mlir::RankedTensorType>(value.getType()).getNumElements());
}

/// A gradient of the data reads its filter backwards, by itself or by an operation.
static bool isReversed(stablehlo::ConvolutionOp op) {
  auto reversal = op.getWindowReversal();
  mlir::Operation *filter = op->getOperand(1).getDefiningOp();
  return (reversal && llvm::is_contained(*reversal, true)) ||
         (filter && mlir::isa<stablehlo::ReverseOp>(filter));
}

/// Bytes that the program widens to 32 bits: kernels read the bytes.
static bool isOfBytes(mlir::Value value) {
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  auto from = convert ? mlir::dyn_cast<mlir::RankedTensorType>(
                            convert->getOperand(0).getType())
                      : nullptr;
  return from && from.getElementType().isInteger(8);
}

bool gainsFromChannelsLast(stablehlo::ConvolutionOp op) {
  auto dims = op.getDimensionNumbers();
  auto filter =
      mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(1).getType());
  auto result =
      mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!filter || !filter.hasStaticShape())
    return false;
  int64_t inputs = filter.getDimSize(dims.getKernelInputFeatureDimension()),
          groups = op.getFeatureGroupCount(), taps = 1;
  for (int64_t d : dims.getKernelSpatialDimensions())
    taps *= filter.getDimSize(d);
  auto hasOther = [](std::optional<llvm::ArrayRef<int64_t>> values) {
    return values && llvm::any_of(*values, [](int64_t v) { return v != 1; });
  };
  mlir::Type type = filter.getElementType();
  bool isBytes = type.isInteger(32) && isOfBytes(op->getOperand(0)) &&
                 isOfBytes(op->getOperand(1));
  bool isF32 = type.isF32();
  if (!isF32 && !type.isBF16() && !type.isF16() && !isBytes)
    return false;
  if (groups > 1 && inputs == 1)
    return false; // depthwise kernels bring the image into their order
  if (hasOther(op.getLhsDilation()))
    return !isF32;
  if (taps == 1 || result.getShape().back() < kShortestLine)
    return false;
  if (!isF32 && groups > 1 && isReversed(op))
    return true;
  double work = elementsOf(op->getResult(0)) * double(taps * inputs),
         moved = elementsOf(op->getOperand(0)) +
                 elementsOf(op->getResult(0)) + elementsOf(op->getOperand(1));
  return work >= moved * (groups > 1 ? kWorkOfGroups : kWork);
}

} // namespace assay::engine
