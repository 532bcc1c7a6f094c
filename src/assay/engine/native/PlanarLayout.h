/// Programs that keep each feature's plane together (NCHW, as PyTorch exports
/// them), brought into the order in which channels lie side by side.
#pragma once

#include "assay/program/Program.h"

namespace assay::engine {

/// A copy of the program whose convolutions of planar images are convolutions
/// of images with channels last, and so is everything between them; transposes
/// stand at the edges alone. The program itself where that would move about as
/// much as it saves (a convolution by itself), and where there is none.
/// Arguments and results are as before.
llvm::Expected<std::shared_ptr<const program::Program>>
withChannelsLast(std::shared_ptr<const program::Program> program);

} // namespace assay::engine
