/// Recognises convolutions of planar images, and estimates whether two
/// transposes pay for one.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Images [batch, feature, space...], in and out, of known shapes.
bool isPlanarConvolution(mlir::Operation *op);

/// The gradient of a filter in 16 bits, or of one that is summed in place with
/// channels last (groups of a few channels, or long lines of many), where image
/// and gradient are [batch, feature, space...]. Products of planes are worse
/// for these: their rows are one channel each, which kernels of 16 bits cannot
/// read; they are small in such groups; and their windows are gathered.
bool isPlanarFilterGradient(mlir::Operation *op);

/// Whether the program has convolutions of planar images, or gradients of their
/// filters.
bool hasPlanarConvolutions(mlir::ModuleOp module);

/// Whether image and gradient of a filter's gradient are stored as [batch,
/// feature, space...].
bool isGradientOfPlanes(stablehlo::ConvDimensionNumbersAttr dims);

/// Whether a convolution of planar images (NCHW) of known shapes is faster with
/// channels last, including the transposes of its image and its result. Source:
/// the layers of `./dev bench conv` in both layouts on one thread, Zen 4, 23
/// November 2026 (docs/native.md).
bool gainsFromChannelsLast(stablehlo::ConvolutionOp op);

} // namespace assay::engine
