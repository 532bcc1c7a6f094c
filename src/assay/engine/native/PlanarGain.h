/// Which convolutions are of planar images, and whether one is worth two transposes.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Images [batch, feature, space...], in and out, of known shapes.
bool isPlanarConvolution(mlir::Operation *op);

/// The gradient of a filter in 16 bits, or of one that is summed in place with channels
/// last (groups of a few channels, long lines of many), image and gradient [batch, feature,
/// space...]: products of planes have rows of a channel each, which kernels of
/// 16 bits cannot read, are small in such groups, and have their windows gathered.
bool isPlanarFilterGradient(mlir::Operation *op);

/// Whether the program has convolutions of planar images, or gradients of their
/// filters.
bool hasPlanarConvolutions(mlir::ModuleOp module);

/// Image and gradient of a filter's gradient are stored as [batch, feature, space...].
bool isGradientOfPlanes(stablehlo::ConvDimensionNumbersAttr dims);

/// True where a convolution of planar images (NCHW) of known shapes takes less time
/// with channels last, its image and its result transposed. Source: the layers of
/// `./dev bench conv` in both layouts on one thread, Zen 4, 23 November 2026
/// (docs/native.md).
bool gainsFromChannelsLast(stablehlo::ConvolutionOp op);

} // namespace assay::engine
