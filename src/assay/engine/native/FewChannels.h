/// Gradients of an image with few channels that come last, computed in planes.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Convolutions of a dilated input whose result has so few contiguous channels
/// that vectors of them would be nearly empty (the gradient of the data of a strided
/// first layer) are computed with a plane for each channel, input and result
/// transposed.
void moveFewChannelsIntoPlanes(mlir::ModuleOp module);

} // namespace assay::engine
