/// Programs that keep each feature's plane together (NCHW, as PyTorch exports
/// them), brought into the order in which channels are contiguous.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Convolutions of planar images become convolutions of images with channels
/// last, and so does everything between them; transposes are only at the
/// edges. Nothing changes where that would move about as much as it saves (a
/// single convolution). Arguments and results are as before.
void moveChannelsLast(mlir::ModuleOp module);

} // namespace assay::engine
