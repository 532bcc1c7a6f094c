/// Turns an operation's window attributes, with the specification's defaults,
/// into geometry.
#pragma once

#include "assay/geometry/Convolution.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

/// Decodes convolution or dynamic_conv (for the latter `low` is 0, because the
/// padding is an operand).
geometry::Convolution convolutionOf(const StepSpec &spec);

/// Decodes reduce_window or select_and_scatter: windows over every dimension of the operand.
geometry::Windows windowsOf(mlir::Operation *op, const TensorType &operand);

/// The number of windows evaluated side by side, as the lanes of one block.
constexpr int64_t kWindowLanes = 1024;

} // namespace assay::reference
