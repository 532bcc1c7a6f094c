/// custom_call @stablehlo.dynamic_reduce_window, which JAX exports for
/// cumulative sums and pooling where sizes are known only at run time.
#pragma once

#include "assay/dialect/InferOp.h"

namespace assay::program {

/// The reduce_window that the call stands for, detached and with the call's
/// operands. Null for any other operation, and for a call whose operands are
/// not inputs, init values, window sizes, strides, base dilations, window
/// dilations, padding.
mlir::Operation *reduceWindowOf(mlir::Operation *op,
                                stablehlo::OperandValues values);

} // namespace assay::program
