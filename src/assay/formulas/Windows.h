/// Operations over windows of [mb, channels, spatial...] tensors as StableHLO
/// operations: pooling, local response normalisation and resampling, forward
/// and backward. Values are f32 or f64; pooling by maximum takes integers too.
#pragma once

#include "assay/geometry/Convolution.h"
#include "assay/program/Builder.h"

namespace assay::formulas {

enum class PoolRule : uint8_t { Max, MeanOfAll, MeanOfInside };

/// Windows as the attributes of a convolution, of spatial dimensions alone (a reversal
/// is written if there is one), and of a reduce_window.
void setWindows(program::Convolution &options,
                llvm::ArrayRef<geometry::Axis> axes);
program::Window reduceWindowOf(llvm::ArrayRef<geometry::Axis> axes);
/// x folded by windows over its last dimensions. name: as Builder::neutral().
mlir::Value foldWindows(program::Builder &builder, llvm::StringRef name,
                        mlir::Value x, llvm::ArrayRef<geometry::Axis> axes);

/// One axis per spatial dimension.
struct PoolWindow : geometry::Windows {
  PoolRule rule = PoolRule::Max;
};

/// Formula:  dst[o] = max or mean over the taps that read elements of the
///           input; MeanOfAll divides by the size of the kernel, MeanOfInside
///           by the taps inside
/// Shapes:   src [mb, c, input...] -> [mb, c, output...]
mlir::Value poolForward(program::Builder &builder, const PoolWindow &window,
                        mlir::Value src);
/// Whether some window has no tap inside: libraries define its maximum
/// differently.
bool hasEmptyWindow(const PoolWindow &window);
/// `maxima`, those of windows without a tap inside replaced by `value`.
mlir::Value withEmptyMaximum(program::Builder &builder,
                             const PoolWindow &window, mlir::Value maxima,
                             double value);
/// The gradient of poolForward; Max: to the first maximum of each window in
/// row-major order.
mlir::Value poolBackward(program::Builder &builder, const PoolWindow &window,
                         mlir::Value src, mlir::Value diffDst);
/// Why poolBackward does not support this window, or empty.
std::string poolBackwardRefusal(const PoolWindow &window);

struct ResponseNorm {
  bool across = true; ///< over channels, else over points of one channel
  int64_t size = 5;
  double alpha = 1.0 / 8192, beta = 0.75, k = 1;
};
/// Formula:  dst = src * omega^-beta, omega = k + alpha / n * sum of src^2 over
///           the window of 2 * ((size - 1) / 2) + 1 channels (n = size) or
///           points of each spatial dimension (n = size^spatial)
mlir::Value responseNormForward(program::Builder &builder,
                                const ResponseNorm &norm, mlir::Value src);
/// diffSrc = diffDst * omega^-beta - 2 * alpha * beta / n * src * sum over the
/// window of diffDst * src * omega^(-beta - 1)
mlir::Value responseNormBackward(program::Builder &builder,
                                 const ResponseNorm &norm, mlir::Value src,
                                 mlir::Value diffDst);

/// Output o of O is at s = (o + 0.5) * I / O - 0.5 of I inputs: nearest takes
/// input round(s), halves away from zero; linear the two around s, clamped,
/// each weighted by one minus its distance.
/// Shapes: [mb, c, inputs...] -> [mb, c, outputs...]
mlir::Value resampleForward(program::Builder &builder, bool linear,
                            mlir::Value src, program::DimsRef outputs);
/// The gradient of resampleForward: [mb, c, outputs...] -> [mb, c, inputs...].
mlir::Value resampleBackward(program::Builder &builder, bool linear,
                             mlir::Value diffDst, program::DimsRef inputs);

} // namespace assay::formulas
