/// Gradients of an image of few channels that lie last, computed in planes.
#pragma once

#include "assay/program/Program.h"

namespace assay::engine {

/// A copy of the program in which convolutions of a dilated input whose result has so
/// few channels, side by side, that vectors of them would be nearly empty (the gradient
/// of the data of a strided first layer) are computed with a plane for each channel,
/// input and result transposed. The program itself where there is none of them.
llvm::Expected<std::shared_ptr<const program::Program>>
withFewChannelsInPlanes(std::shared_ptr<const program::Program> program);

} // namespace assay::engine
