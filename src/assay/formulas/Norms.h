/// Layer, group and batch normalisation as StableHLO operations, forward and
/// backward. The three differ in the elements that share a mean and a variance,
/// and in those that share a scale and a shift; a NormLayout describes both.
#pragma once

#include "assay/formulas/Arithmetic.h"

namespace assay::formulas {

/// A view of the tensor: `shape` is src reshaped so that statistics and scales
/// each depend on whole dimensions of it.
struct NormLayout {
  program::Dims shape;
  program::Dims statistics; ///< dimensions that mean and variance have
  program::Dims channels;   ///< dimensions that scale and shift have

  static NormLayout layer(program::DimsRef src); ///< over the last dimension
  static NormLayout batch(program::DimsRef src); ///< per dimension 1
  /// Over the points and the channels of a group; dimension 1 must be a
  /// multiple of `groups`.
  static NormLayout group(program::DimsRef src, int64_t groups);
};

struct NormOptions {
  NormLayout layout;
  double epsilon = 0.0625;
  bool given = false; ///< the statistics are arguments, not those of src
  bool rms = false;   ///< no mean: the variance is the mean square
  bool relu = false;  ///< negative results become 0
  bool scaleGradient = true, shiftGradient = true; ///< backward: which
                                                   ///< gradients are computed
};

/// The tensors of a normalisation, f32 or f64, null if there are none.
/// Shapes: src, add, diffDst as src; mean, var, scale, shift with the problem's
/// shapes (they are reshaped here).
struct NormTensors {
  mlir::Value src, add, mean, var, scale, shift, diffDst;
};
struct NormForward {
  mlir::Value dst, mean, var;
};
struct NormBackward {
  mlir::Value diffSrc, diffAdd, diffScale, diffShift;
};

/// Formula:  dst = relu(scale * (src - mean) / sqrt(var + epsilon) + shift +
///           add), mean and var over the elements that share them, var with
///           divisor n
/// Shapes:   mean and var of the result have as many elements as there are
///           statistics, in one dimension
NormForward normForward(program::Builder &builder, const NormOptions &options,
                        const NormTensors &tensors);

/// The gradients of normForward.
/// Formula:  g = scale * diffDst (0 where relu cut), h = (src - mean) * r,
///           r = 1 / sqrt(var + epsilon);
///           diffSrc = r * (g - mean(g) - h * mean(g * h)), without mean(g) for
///           rms and without both means when the statistics are given;
///           diffScale = sum diffDst * h, diffShift = sum diffDst per channel
/// Shapes:   diffScale and diffShift in one dimension; null where the options
///           do not ask for them
NormBackward normBackward(program::Builder &builder, const NormOptions &options,
                          const NormTensors &tensors);

/// The gradient of (x - mean(x)) * r to x, from h = (x - mean(x)) * r.
/// Formula:  r * (g - mean(g) - h * mean(g * h)), without mean(g) for rms
/// `mean`: over what shares a statistic, as an operand beside its argument
Value normGradient(Arithmetic &a, Value g, Value h, Value r, bool rms,
                   llvm::function_ref<Value(Value)> mean);

} // namespace assay::formulas
