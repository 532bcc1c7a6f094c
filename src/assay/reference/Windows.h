/// The windows of an operation: its attributes with the specification's defaults as geometry.
#pragma once

#include "assay/geometry/Convolution.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

/// Decodes convolution or dynamic_conv (whose padding is `low` = 0 here).
geometry::Convolution convolutionOf(const StepSpec &spec);

/// Decodes reduce_window or select_and_scatter: windows over every dimension of the operand.
geometry::Windows windowsOf(mlir::Operation *op, const TensorType &operand);

/// Windows that are evaluated side by side: lanes of one block.
constexpr int64_t kWindowLanes = 1024;

} // namespace assay::reference
