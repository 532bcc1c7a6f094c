/// Gradients of an image of few channels that lie last, computed in planes.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Convolutions of a dilated input whose result has so few channels, side by side,
/// that vectors of them would be nearly empty (the gradient of the data of a strided
/// first layer) are computed with a plane for each channel, input and result
/// transposed.
void moveFewChannelsIntoPlanes(mlir::ModuleOp module);
/// Whether there are any.
bool hasFewChannels(mlir::ModuleOp module);

} // namespace assay::engine
