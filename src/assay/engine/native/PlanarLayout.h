/// Changes programs that keep each feature's plane together (NCHW, as PyTorch
/// exports them) to the order in which channels are contiguous.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Converts convolutions of planar images to convolutions of images with
/// channels last, together with everything between them, so that transposes are
/// needed only at the edges. Changes nothing where the transposes would cost
/// about as much as is saved (a single convolution). Arguments and results do
/// not change.
void moveChannelsLast(mlir::ModuleOp module);

} // namespace assay::engine
