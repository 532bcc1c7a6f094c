/// The windows of convolutions, reduce_window and select_and_scatter, with the
/// specification's defaults filled in.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using WindowDims = llvm::SmallVector<WindowDim>;

/// One window per spatial dimension, with the size of that dimension of rhs.
/// convolution_c2 to c9.
mlir::FailureOr<WindowDims> windowsOf(ConvolutionOp op);
/// The same; the padding is not known yet and stays 0.
mlir::FailureOr<WindowDims> windowsOf(DynamicConvOp op);
/// One window per dimension. reduce_window_c4 to c12.
mlir::FailureOr<WindowDims> windowsOf(ReduceWindowOp op);
/// One window per dimension. select_and_scatter_c4 to c8.
mlir::FailureOr<WindowDims> windowsOf(SelectAndScatterOp op);

} // namespace assay::stablehlo
