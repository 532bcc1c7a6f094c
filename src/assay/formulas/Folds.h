/// Reductions and scaled dot-product attention as StableHLO operations.
#pragma once

#include "assay/program/Builder.h"

namespace assay::formulas {

/// x / count, written so that the bound allows x * (1 / count) too: both
/// are common, and they differ by a rounding unless count is a power of two.
mlir::Value dividedBy(program::Builder &builder, mlir::Value x, double count);
/// The same with a count for each element.
mlir::Value dividedBy(program::Builder &builder, mlir::Value x,
                      mlir::Value counts);

enum class FoldRule : uint8_t { Max, Min, Sum, Product, Mean, Norm };

struct Fold {
  FoldRule rule = FoldRule::Sum;
  // Norm alone:
  double p = 1, epsilon = 0;
  bool epsilonIsFloor = false; ///< max(sum, epsilon) instead of sum + epsilon
  bool root = false;           ///< then the p-th root
};

/// src folded over every dimension that `dst` has with size 1; the result has
/// the shape `dst`.
/// Formula:  Norm: s = sum |src|^p; s = max(s, epsilon) or s + epsilon; s^(1/p)
/// Types:    f32 or f64; Max and Min take integers too
mlir::Value foldForward(program::Builder &builder, const Fold &fold,
                        mlir::Value src, program::DimsRef dst);

enum class MaskForm : uint8_t { None, Buffer, TopLeft, BottomRight };

/// The operands of an attention, f32 or f64, null if there are none.
/// Shapes:   q [b, h, s, d], k [b, h', d, t], v [b, h', t, e] with h a multiple
///           of h'; mask broadcast to [b, h, s, t]; scale one element
struct Attention {
  mlir::Value q, k, v, mask, scale;
  MaskForm form = MaskForm::None;
  bool divides = false; ///< scores are divided by the scale
};

/// Formula:  dst = softmax(q k * scale + mask) v; the default scale is
///           1 / sqrt(d). TopLeft: key j of query i counts where j <= i;
///           BottomRight: where j <= i + t - s. The result of a query without
///           keys is 0.
/// Shapes:   [b, h, s, e]
mlir::Value attentionForward(program::Builder &builder,
                             const Attention &attention);

} // namespace assay::formulas
