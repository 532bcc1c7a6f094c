// Whether transposing a planar convolution to channels last pays. With channels last no
// window is unfolded and groups are computed together; the gain grows with the
// multiply-adds, the cost of the transposes with the elements. In f32, 1 x 1 windows and
// gradients of strided convolutions are as fast in planes. Kernels of 16-bit types and of
// bytes (which the program widens) read channels in pairs and fours, and always gain, except
// for 1 x 1 windows of bytes. Gradients of a filter gain in 16-bit types, and with few
// channels per group. Other types stay planar.
#include "assay/engine/native/PlanarGain.h"

#include "assay/engine/native/KnownType.h"
#include "assay/kernels/conv/ConvConfig.h"

namespace assay::engine {

/// It pays from this number of multiply-adds per transposed or packed element on.
static constexpr double kWork = 200, kGroupWork = 15;
/// Fewer multiply-adds take less time than the two transposes.
static constexpr double kLeastWork = 1 << 18;
/// Shorter lines of positions leave register blocks empty.
static constexpr int64_t kShortestLine = 14;

static double elementsOf(mlir::Value value) {
  return double(
      mlir::cast<mlir::RankedTensorType>(value.getType()).getNumElements());
}

template <typename T>
static bool hasOther(std::optional<llvm::ArrayRef<T>> values, T usual) {
  return values &&
         llvm::any_of(*values, [&](T value) { return value != usual; });
}

static bool arePlanar(int64_t first, int64_t second,
                      llvm::ArrayRef<int64_t> spatial) {
  int64_t next = 2;
  return first == 0 && second == 1 &&
         llvm::all_of(spatial, [&](int64_t d) { return d == next++; });
}

bool isGradientOfPlanes(stablehlo::ConvDimensionNumbersAttr dims) {
  return arePlanar(dims.getInputFeatureDimension(),
                   dims.getInputBatchDimension(),
                   dims.getInputSpatialDimensions()) &&
         arePlanar(dims.getKernelInputFeatureDimension(),
                   dims.getKernelOutputFeatureDimension(),
                   dims.getKernelSpatialDimensions());
}

/// Groups of this many channels have their gradients summed in place with channels last
/// (GroupColumnsConvolution.cpp); smaller groups have depthwise kernels (Depthwise.h).
static bool hasFewChannels(int64_t channels) {
  return channels > 8 && channels <= kernels::kMostGroupChannels;
}

/// Whether the gradient of a filter without groups is summed in place with channels last
/// (kernels::ruleFor) and, in two or three dimensions, has taps enough for the transposes.
/// Source: nine layers on a Zen 5 (24 November 2026): 1.1 to 1.6 times as fast from nine
/// taps on, 0.8 times with eight.
static bool gainsInPlace(stablehlo::ConvolutionOp op,
                         mlir::RankedTensorType image,
                         mlir::RankedTensorType gradient) {
  constexpr int64_t kFewestPositions = 12, kFewestTaps = 9;
  auto filter = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  int64_t taps = 1;
  for (int64_t d : op.getDimensionNumbers().getOutputSpatialDimensions())
    taps *= filter.getDimSize(d);
  return kernels::Machine::detect().isa.vectorBytes == 64 &&
         taps >= kFewestTaps && image.getRank() > 3 &&
         image.getDimSize(1) > 1 &&
         image.getDimSize(1) <= kernels::kMostImageChannels &&
         gradient.getShape().back() >= kFewestPositions;
}

bool isPlanarFilterGradient(mlir::Operation *op) {
  auto gradient = mlir::dyn_cast<stablehlo::ConvolutionOp>(op);
  mlir::RankedTensorType image =
      gradient ? typeOfValue(op->getOperand(0)) : mlir::RankedTensorType();
  mlir::RankedTensorType result =
      image ? typeOfValue(op->getOperand(1)) : image;
  if (!result || !typeOfValue(op->getResult(0)) || image.getRank() < 3 ||
      image.getRank() > 5 || gradient.getFeatureGroupCount() != 1)
    return false;
  mlir::Type type = image.getElementType();
  bool isShort = type.isBF16() || type.isF16();
  auto groups = static_cast<int64_t>(gradient.getBatchGroupCount());
  int64_t channels =
      std::max(image.getDimSize(1), result.getDimSize(1)) / groups;
  bool isSummedInPlace = groups > 1 ? hasFewChannels(channels)
                                    : gainsInPlace(gradient, image, result);
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
  for (mlir::Value value : {op->getOperand(0), mlir::Value(op->getResult(0))}) {
    mlir::RankedTensorType type = typeOfValue(value);
    if (!type || !type.getElementType().isIntOrFloat() || type.getRank() < 3 ||
        type.getRank() > 5)
      return false;
  }
  auto dims = convolution.getDimensionNumbers();
  return arePlanar(dims.getInputBatchDimension(),
                   dims.getInputFeatureDimension(),
                   dims.getInputSpatialDimensions()) &&
         arePlanar(dims.getOutputBatchDimension(),
                   dims.getOutputFeatureDimension(),
                   dims.getOutputSpatialDimensions());
}

/// True for bytes that the program widens to 32 bits: kernels read the bytes.
static bool isWidenedBytes(mlir::Value value) {
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
  auto result = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!filter || !filter.hasStaticShape())
    return false;
  int64_t inputs = filter.getDimSize(dims.getKernelInputFeatureDimension()),
          groups = op.getFeatureGroupCount(), taps = 1;
  for (int64_t d : dims.getKernelSpatialDimensions())
    taps *= filter.getDimSize(d);
  mlir::Type type = filter.getElementType();
  bool isBytes = type.isInteger(32) && isWidenedBytes(op->getOperand(0)) &&
                 isWidenedBytes(op->getOperand(1));
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
  return work >= moved * (groups > 1 ? kGroupWork : kWork);
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
