// With channels last nothing is unfolded, and groups are not multiplied one by one. The
// gain grows with the multiply-adds, the cost of transposes with the elements. In f32,
// windows of one element are products in place, and gradients of strided convolutions are
// folded planes, which is as good. Kernels of 16-bit types and of bytes (that the
// program widens) read channels in pairs and fours: they are always worth it, except for
// windows of one byte. Gradients of a filter are worth it in 16-bit types, and in groups of a
// few channels. Other types stay planar.
#include "assay/engine/native/PlanarGain.h"

#include "assay/engine/native/KnownType.h"
#include "assay/kernels/conv/ConvConfig.h"

namespace assay::engine {

/// The number of multiply-adds per transposed or packed element from which on it pays.
static constexpr double kWork = 200, kWorkOfGroups = 15;
/// Multiply-adds that take less time than two more steps.
static constexpr double kLeastWork = 1 << 18;
/// Shorter lines of positions leave register blocks empty.
static constexpr int64_t kShortestLine = 14;

static double elementsOf(mlir::Value value) {
  return double(
      mlir::cast<mlir::RankedTensorType>(value.getType()).getNumElements());
}

template <typename T>
static bool hasOther(std::optional<llvm::ArrayRef<T>> values, T usual) {
  return values && llvm::any_of(*values, [&](T value) { return value != usual; });
}

static bool areOfPlanes(int64_t first, int64_t second,
                        llvm::ArrayRef<int64_t> spatial) {
  int64_t next = 2;
  return first == 0 && second == 1 &&
         llvm::all_of(spatial, [&](int64_t d) { return d == next++; });
}

bool isGradientOfPlanes(stablehlo::ConvDimensionNumbersAttr dims) {
  return areOfPlanes(dims.getInputFeatureDimension(),
                     dims.getInputBatchDimension(),
                     dims.getInputSpatialDimensions()) &&
         areOfPlanes(dims.getKernelInputFeatureDimension(),
                     dims.getKernelOutputFeatureDimension(),
                     dims.getKernelSpatialDimensions());
}

/// Groups whose gradients are summed in place with channels last
/// (GroupedFilterGradient.cpp), not depthwise kernels' (Depthwise.h).
static bool isOfAFewChannels(int64_t channels) {
  return channels > 8 && channels <= kernels::kMostGroupChannels;
}

/// The gradient of a filter without groups that is summed in place with channels last
/// (kernels::ruleFor), of two dimensions or three, and enough taps for the transposes.
/// Source: nine layers on a Zen 5 (24 November 2026): 1.1 to 1.6 times as fast from nine
/// taps on, 0.8 times of eight.
static bool isOfLongLines(stablehlo::ConvolutionOp op, mlir::RankedTensorType image,
                          mlir::RankedTensorType gradient) {
  constexpr int64_t kFewestPositions = 12, kFewestTaps = 9;
  auto filter = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  int64_t taps = 1;
  for (int64_t d : op.getDimensionNumbers().getOutputSpatialDimensions())
    taps *= filter.getDimSize(d);
  return kernels::Machine::detect().isa.vectorBytes == 64 && taps >= kFewestTaps &&
         image.getRank() > 3 && image.getDimSize(1) > 1 &&
         image.getDimSize(1) <= kernels::kMostImageChannels &&
         gradient.getShape().back() >= kFewestPositions;
}

bool isPlanarFilterGradient(mlir::Operation *op) {
  auto gradient = mlir::dyn_cast<stablehlo::ConvolutionOp>(op);
  mlir::RankedTensorType image =
      gradient ? typeOfValue(op->getOperand(0)) : mlir::RankedTensorType();
  mlir::RankedTensorType result = image ? typeOfValue(op->getOperand(1)) : image;
  if (!result || !typeOfValue(op->getResult(0)) || image.getRank() < 3 ||
      image.getRank() > 5 ||
      gradient.getFeatureGroupCount() != 1)
    return false;
  mlir::Type type = image.getElementType();
  bool isShort = type.isBF16() || type.isF16();
  auto groups = static_cast<int64_t>(gradient.getBatchGroupCount());
  int64_t channels =
      std::max(image.getDimSize(1), result.getDimSize(1)) / groups;
  bool isSummedInPlace = groups > 1 ? isOfAFewChannels(channels)
                                    : isOfLongLines(gradient, image, result);
  if (!isShort && !(type.isF32() && isSummedInPlace))
    return false;
  bool depthwise = groups > 1 && groups == image.getDimSize(1);
  return !depthwise && !hasOther<int64_t>(gradient.getLhsDilation(), 1) &&
         !hasOther<bool>(gradient.getWindowReversal(), false) &&
         isGradientOfPlanes(gradient.getDimensionNumbers());
}

bool isPlanarConvolution(mlir::Operation *op) {
  auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op);
  if (!convolution || convolution.getBatchGroupCount() != 1)
    return false;
  for (mlir::Value value :
       {op->getOperand(0), mlir::Value(op->getResult(0))}) {
    mlir::RankedTensorType type = typeOfValue(value);
    if (!type || !type.getElementType().isIntOrFloat() || type.getRank() < 3 ||
        type.getRank() > 5)
      return false;
  }
  auto dims = convolution.getDimensionNumbers();
  return areOfPlanes(dims.getInputBatchDimension(),
                     dims.getInputFeatureDimension(),
                     dims.getInputSpatialDimensions()) &&
         areOfPlanes(dims.getOutputBatchDimension(),
                     dims.getOutputFeatureDimension(),
                     dims.getOutputSpatialDimensions());
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
  mlir::Type type = filter.getElementType();
  bool isBytes = type.isInteger(32) && isOfBytes(op->getOperand(0)) &&
                 isOfBytes(op->getOperand(1));
  bool isF32 = type.isF32(); // 16 bits and bytes: Zen 5, 24 November 2026
  if (!isF32 && !type.isBF16() && !type.isF16() && !isBytes)
    return false;
  if (groups > 1 && inputs == 1)
    return false; // depthwise kernels bring the image into their order
  double work = elementsOf(op->getResult(0)) * double(taps * inputs);
  if (!isF32)
    return work >= kLeastWork && (!isBytes || taps > 1);
  if (taps == 1 || hasOther<int64_t>(op.getLhsDilation(), 1) ||
      result.getShape().back() < kShortestLine)
    return false;
  double moved = elementsOf(op->getOperand(0)) + elementsOf(op->getResult(0)) +
                 elementsOf(op->getOperand(1));
  return work >= moved * (groups > 1 ? kWorkOfGroups : kWork);
}

bool hasPlanarConvolutions(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        return isPlanarConvolution(op) || isPlanarFilterGradient(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace assay::engine
