/// How accurate an implementation of an elementwise function has to be: one
/// table for post-ops of contractions and for programs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay::judge {

/// |got - f(x)| <= ulps * 2^-23 * |f(x)| + absolute, for arithmetic in f32.
struct Accuracy {
  double ulps = 0, absolute = 0;
};

/// The accuracy of function `name`, as oneDNN's developer guide names it
/// (without "_dst"), and of its derivative. Selections and single operations
/// have {0, 0}: the bounds of their operations need nothing more.
/// Source:   measured, see docs/verify_eltwise.md; the widest are log near 1
///           (oneDNN: 3.4e-6), soft_relu below -64 (7.6e-6), mish near -16.6
///           (1e-6), and erf, computed by polynomials that are absolutely, not
///           relatively, accurate near 0 (Abramowitz and Stegun 7.1.26)
Accuracy eltwiseAccuracy(llvm::StringRef name, double alpha, double beta);

/// An attribute of the last operation of such a function in a program: the
/// function's accuracy as array<f64: ulps, absolute>. It adds to the error
/// bound of the operation's result.
inline constexpr const char *kAccuracyAttribute = "assay.accuracy";

} // namespace assay::judge
