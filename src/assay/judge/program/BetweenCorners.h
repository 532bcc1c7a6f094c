/// The behaviour of elementwise operations between the ends of an interval, if
/// the ends do not show it: a pole (1/x about 0), a period (the sine of an
/// interval wider than half of one).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <complex>

namespace assay::judge {

/// An operand, and how far it may be off: a real one by its error, a complex one
/// within the circle around the rectangle of its parts' errors.
struct Operand {
  std::complex<double> at;
  double radius = 0;
};

/// A lower bound on how far f(x, y) may be off; y is 0 for functions of one operand.
/// Infinite: the interval holds a pole.
using Between = double (*)(Operand x, Operand y);
/// nullptr: the operation's worst case is at an end of the interval (it is
/// monotone, even, or a step function).
Between findBetween(llvm::StringRef operation, bool isComplex);

} // namespace assay::judge
