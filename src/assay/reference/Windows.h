/// The windows of an operation: its attributes with the specification's defaults as geometry.
#pragma once

#include "assay/geometry/Convolution.h"
#include "assay/reference/Ops.h"

namespace assay::program {
struct Convolution;
struct Window;
} // namespace assay::program

namespace assay::reference {

/// Decodes convolution or dynamic_conv (whose padding is `low` = 0 here).
geometry::Convolution convolutionOf(const StepSpec &spec);

/// The other way: the attributes of an operation over such windows. Only spatial dimensions for a convolution; a
/// reversal is written if there is one.
void setWindows(program::Convolution &options, llvm::ArrayRef<geometry::Axis> axes);
program::Window reduceWindowOf(llvm::ArrayRef<geometry::Axis> axes);

/// Decodes reduce_window or select_and_scatter: windows over every dimension of the operand.
geometry::Windows windowsOf(mlir::Operation *op, const TensorType &operand);

/// Windows that are evaluated side by side: lanes of one block.
constexpr int64_t kWindowLanes = 1024;

} // namespace assay::reference
