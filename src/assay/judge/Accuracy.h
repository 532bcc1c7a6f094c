/// How accurate an implementation of an elementwise function of the grammar has
/// to be. One table for post-ops of contractions and for programs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay::judge {

/// |got - f(x)| <= ulps * 2^-23 * |f(x)| + absolute, for arithmetic in f32.
struct Accuracy {
  double ulps = 0, absolute = 0;
};

/// The accuracy of function `name` in oneDNN's developer guide (without "_dst"),
/// forward, or of its derivative, backward. Selections and single operations have
/// {0, 0}: the bound of their operations is the right one.
/// Source:   measured, see docs/verify_eltwise.md; the widest are log near 1
///           (oneDNN: 3.4e-6), soft_relu below -64 (7.6e-6), mish near -16.6
///           (1e-6), and erf, computed by polynomials that are absolutely, not
///           relatively, accurate near 0 (Abramowitz and Stegun 7.1.26)
Accuracy eltwiseAccuracy(llvm::StringRef name, double alpha, double beta);

/// The attribute of an operation in a program that ends such a function: its
/// accuracy as array<f64: ulps, absolute>. The bound of its result is at least
/// that wide.
inline constexpr const char *kAccuracyAttribute = "assay.accuracy";

} // namespace assay::judge
