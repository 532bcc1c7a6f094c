/// Where precision may change, a constant may stand for another one: the same
/// decimal in a wider type, or one that a compiler folded from others.
#pragma once

#include "assay/judge/equivalence/Algebra.h"
#include "assay/program/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::judge {

/// Constants of the functions of each plan that the other lacks, with the number that they
/// stand for. `quotientsFirst`: where a constant can be read in several ways, as sqrt(2)
/// is both 2 * sqrt(1/2) and 1 / sqrt(1/2), the quotient is taken. `notes`: which, in words.
std::map<double, Element> sharedConstants(const program::Plan &a,
                                          const program::Plan &b,
                                          const Algebra &algebra,
                                          bool quotientsFirst,
                                          std::vector<std::string> &notes);

} // namespace assay::judge
