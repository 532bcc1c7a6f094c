/// Functions that implementations in wide use compute in another form than the
/// program does: their error bounds are written onto the operations.
#pragma once

#include "assay/judge/Accuracy.h"
#include "assay/program/Program.h"

namespace assay::judge {

/// Stands on a sum that ends in a mean: an implementation may keep a running
/// mean (Welford), which no data makes exact.
inline constexpr const char *kMeanAttribute = "assay.mean";

/// Marks sums that are divided by a constant, and gives erfc its accuracy as 1 - erf (Accuracy.h), which libraries use for
/// GELU: absolutely, not relatively, accurate where it is small. Leaves
/// operations that have an accuracy of their own. For programs that come from
/// elsewhere, before they are judged.
void allowCommonForms(const program::Program &program);

/// States that `value` ends a function computed in f32 with this accuracy; no
/// accuracy and other types state nothing. Returns `value`.
mlir::Value withAccuracy(mlir::Value value, Accuracy accuracy);

} // namespace assay::judge
