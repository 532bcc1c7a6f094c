/// Functions that common implementations compute in another form than the
/// program: their error bounds are written onto the operations.
#pragma once

#include "assay/judge/Accuracy.h"
#include "assay/program/Program.h"

namespace assay::judge {

/// Marks a sum that ends in a mean: an implementation may keep a running
/// mean (Welford), which no data makes exact.
inline constexpr const char *kMeanAttribute = "assay.mean";

/// Marks a subtraction whose result is scaled, such as x - mean in a norm, and
/// the addition of a weighted mean, a + w (b - a) or (1 - w) a + w b: an
/// implementation may scale both terms first, by a factor that is rounded.
inline constexpr const char *kScaledTerms = "assay.scaled_terms";

/// Marks an addition whose first term is a sum of this many terms (i64): an
/// implementation may begin the sum with the second term, as products do with a
/// bias.
inline constexpr const char *kBeginsSum = "assay.begins_sum";

/// Marks a division that must be computed as a division: see divisionUlps.
inline constexpr const char *kExactDivision = "assay.exact_division";

/// Demands that every division of the program is computed as a division,
/// rounded once.
void demandExactDivision(const program::Program &program);

/// The roundings (i64) that a convolution's sums get where the scales after it
/// are folded into its filter.
inline constexpr const char *kFoldedScales = "assay.folded_scales";

/// Allows the engine to fold scales of channels into filters
/// (reference/ChannelScale.h); `argumentsStay`: also those that are arguments.
void allowFoldedScales(const program::Program &program, bool argumentsStay);

/// Units in the last place that the forms into which compilers rewrite a
/// division add: x (1 / c) for a constant c or a c that is repeated (one for a
/// row), and x rsqrt(y) for x / sqrt(y). 0 if there is no such form (c a power
/// of two), or the program demands divisions.
double divisionUlps(mlir::Operation *divide);

/// Whether a value is a constant, perhaps after moves.
bool isConstant(mlir::Value value);

/// Whether a value is not below zero in every correct implementation: sums of
/// squares, magnitudes, exponentials and values computed from them.
bool isNonNegative(mlir::Value value);

/// Whether a value is made only of positions (iota) and constants, as the
/// weights of an interpolation are. Forms of it differ in which neighbour has
/// the weight 0 where a position is whole.
bool isWeight(mlir::Value value);

/// Inlines small functions, so that forms are seen across calls; marks sums
/// that are divided by a constant and weighted means, and gives erfc the
/// accuracy of 1 - erf (Accuracy.h), which libraries use for GELU: absolutely,
/// not relatively, accurate where it is small. Keeps an accuracy that an
/// operation has already. For programs of users, before they are judged.
void allowCommonForms(const program::Program &program);

/// States that `value` ends a function computed in f32 with this accuracy;
/// without an accuracy, and for other types, nothing is stated. Returns
/// `value`.
mlir::Value withAccuracy(mlir::Value value, Accuracy accuracy);

/// States that an implementation may store an f32 value in `narrow`, a type of
/// 16 bits, before it is used. Returns `value`.
mlir::Value withStageIn(mlir::Value value, numerics::ElementType narrow);

/// States that an implementation may keep the sums or products of the scatter that
/// makes `value` in `narrow`. Returns `value`.
mlir::Value withSumsIn(mlir::Value value, numerics::ElementType narrow);

/// Marks the addition or subtraction that computes `sum` with kScaledTerms.
mlir::Value withScaledTerms(mlir::Value sum);

/// Marks a sum, perhaps after moves, with kMeanAttribute.
mlir::Value withRunningMean(mlir::Value sum);

/// Marks the addition of a sum of `depth` terms and a value that the sum may begin with.
mlir::Value withBeginOfSum(mlir::Value addition, int64_t depth);

} // namespace assay::judge
