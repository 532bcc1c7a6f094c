/// How far a sum of products in floating point may be from the exact sum,
/// relative to the sum of absolute terms: by theorem for every order of
/// summation, and statistically for every order that a correct implementation
/// uses.
#pragma once

#include "assay/judge/FillKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace assay::judge {

/// The statistical bound: error <= factor * u * sqrt(d) * sum|a||b|. The factor
/// is 6 for data of any kind, and 1 (but not below 16 / sqrt(d)) for the
/// `normal` and `cancel` fills, whose terms have mean zero: partial sums then
/// stay near sqrt(k). utils/evidence/verify_calibration.py measures both
/// (docs/verify_calibration.md): correct orders use at most 0.73 of the bound.
inline constexpr double kStatistical = 6;
inline constexpr double kStatisticalNormal = 1;
inline constexpr double kStatisticalFloor = 16;

/// An attribute of a product, convolution or scatter: the type that its sums may be
/// kept in (a type attribute), where that is narrower than the usual.
inline constexpr const char *kAccumulation = "assay.accumulation";

/// An attribute of a splat constant: the number (f64) that a formula names, where
/// the constant is that number rounded. A kernel may compute with either.
inline constexpr const char *kNumber = "assay.number";

/// gamma(d) = d u / (1 - d u), or 1 where that is larger.
/// Source: N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
/// ed., section 3.1.
double theoremBound(double depth, double unit);
/// The smaller of the theorem's bound and the statistical one.
double likelyBound(double depth, double unit, FillKind fill);
/// Whether the theorem's bound is the larger one.
bool isDeep(double depth, double unit);
/// Whether terms may all be rounded in one direction when they are added one
/// after the other, so that only the theorem's bound holds: their standard
/// deviation is within a few units in the last place of their sum. Terms with a
/// density whose width is w such units have roundings with a mean of up to 1 /
/// (pi^2 w) of one (its Fourier transform at 1), which stays below the
/// statistical bound where w >= sqrt(depth) / 89. `sum`: the sum of the terms'
/// sizes; `squares`: that of their squares; both in double.
bool areNearlyEqual(double depth, double sum, double squares, double unit);
/// The same for every sum of an operation; `evaluateEach`: the operation on a
/// function of its operands' sizes. Zeros are not terms: they are never
/// rounded. Errors: those of evaluateEach.
llvm::Expected<std::vector<bool>> haveNearlyEqualTerms(
    llvm::ArrayRef<double> sums, double unit,
    llvm::function_ref<llvm::Expected<std::vector<double>>(double (*)(double))>
        evaluateEach);

} // namespace assay::judge
