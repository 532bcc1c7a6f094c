/// Where precision may change, a constant may stand for another one: the same
/// decimal in a wider type, or one that a compiler folded from others.
#pragma once

#include "assay/judge/equivalence/Algebra.h"
#include "assay/program/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::judge {

/// How a constant is read that can stand for several numbers.
enum class ConstantReading : uint8_t {
  Plain,
  Quotients, ///< sqrt(2) is 1 / sqrt(1/2) rather than 2 * sqrt(1/2)
  Related,   ///< quotients, also of constants that both programs have
};

/// Constants of the functions of each plan with the number that they stand for: those
/// that the other plan lacks, and where `reading` is Related those that both have, too.
/// `notes`: which, in words.
std::map<double, Element> sharedConstants(const program::Plan &a,
                                          const program::Plan &b,
                                          const Algebra &algebra,
                                          ConstantReading reading,
                                          std::vector<std::string> &notes);

} // namespace assay::judge
