// The windows of operations: optional attributes become numbers, each checked
// for length and sign.
#include "assay/dialect/Windows.h"

namespace assay::stablehlo {

using namespace mlir;

/// Sets one member of each window from an optional attribute, whose numbers
/// must be positive.
static LogicalResult fill(Operation *op, StringRef name,
                          std::optional<Shape> values, WindowDims &windows,
                          int64_t WindowDim::*member) {
  if (!values || values->empty())
    return success(); // keep the default
  if (failed(expectSize(op, name, values->size(), windows.size())))
    return failure();
  for (auto [window, value] : llvm::zip_equal(windows, *values)) {
    if (value <= 0)
      return op->emitOpError()
             << "'" << name << "' must be positive, got " << value;
    window.*member = value;
  }
  return success();
}

static LogicalResult fillPadding(Operation *op,
                                 std::optional<DenseIntElementsAttr> padding,
                                 WindowDims &windows) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (failed(readPairs(op, "padding", padding, windows.size(), pairs)))
    return failure();
  for (auto [window, pair] : llvm::zip_equal(windows, pairs))
    std::tie(window.padLow, window.padHigh) = pair;
  return success();
}

template <typename ConvOp>
static FailureOr<WindowDims> convolutionWindows(ConvOp op) {
  int64_t rank = shapeOf(op.getLhs()).size();
  if (rank < 2 || static_cast<int64_t>(shapeOf(op.getRhs()).size()) !=
                      rank) // convolution_c1
    return op.emitOpError()
           << "lhs and rhs must have one rank, at least 2, got " << rank
           << " and " << shapeOf(op.getRhs()).size();
  WindowDims windows(rank - 2);
  // JAX has exported a dynamic_conv with strides for more dimensions than there
  // are. If all strides are equal, the meaning is clear.
  std::optional<Shape> strides = op.getWindowStrides();
  if (std::is_same_v<ConvOp, DynamicConvOp> && strides &&
      strides->size() > windows.size() && llvm::all_equal(*strides))
    strides = strides->take_front(windows.size());
  if (failed(fill(op, "window_strides", strides, windows,
                  &WindowDim::stride)) || // c2, c3
      failed(fill(op, "lhs_dilation", op.getLhsDilation(), windows,
                  &WindowDim::baseDilation)) || // c5, c6
      failed(fill(op, "rhs_dilation", op.getRhsDilation(), windows,
                  &WindowDim::windowDilation))) // c7, c8
    return failure();
  if (auto reversal = op.getWindowReversal(); reversal && !reversal->empty())
    if (failed(expectSize(op, "window_reversal", reversal->size(),
                          rank - 2))) // convolution_c9
      return failure();
  Shape spatial = op.getDimensionNumbers().getKernelSpatialDimensions();
  for (auto [window, dim] : llvm::zip(windows, spatial))
    if (dim >= 0 && dim < rank)
      window.size = shapeOf(op.getRhs())[dim];
  return windows;
}

FailureOr<WindowDims> windowsOf(ConvolutionOp op) {
  FailureOr<WindowDims> windows = convolutionWindows(op);
  if (failed(windows) ||
      failed(fillPadding(op, op.getPadding(), *windows))) // convolution_c4
    return failure();
  return windows;
}

FailureOr<WindowDims> windowsOf(DynamicConvOp op) {
  return convolutionWindows(op);
}

FailureOr<WindowDims> windowsOf(ReduceWindowOp op) {
  WindowDims windows(shapeOf(op.getInputs().front()).size());
  if (failed(fill(op, "window_dimensions", op.getWindowDimensions(), windows,
                  &WindowDim::size)) || // c4, c5
      failed(fill(op, "window_strides", op.getWindowStrides(), windows,
                  &WindowDim::stride)) || // c6, c7
      failed(fill(op, "base_dilations", op.getBaseDilations(), windows,
                  &WindowDim::baseDilation)) || // c8, c9
      failed(fill(op, "window_dilations", op.getWindowDilations(), windows,
                  &WindowDim::windowDilation)) ||        // c10, c11
      failed(fillPadding(op, op.getPadding(), windows))) // c12
    return failure();
  return windows;
}

FailureOr<WindowDims> windowsOf(SelectAndScatterOp op) {
  WindowDims windows(shapeOf(op.getOperand()).size());
  if (!op.getWindowDimensions() && !windows.empty()) // select_and_scatter_c4
    return op.emitOpError() << "needs 'window_dimensions'";
  if (failed(fill(op, "window_dimensions", op.getWindowDimensions(), windows,
                  &WindowDim::size)) || // c4, c5
      failed(fill(op, "window_strides", op.getWindowStrides(), windows,
                  &WindowDim::stride)) ||                // c6, c7
      failed(fillPadding(op, op.getPadding(), windows))) // c8
    return failure();
  return windows;
}

} // namespace assay::stablehlo
