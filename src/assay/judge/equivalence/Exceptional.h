/// Zeros' signs, infinities and NaN do not obey the laws: (a + b) c and a c + b c
/// are one number and have other zeros. A difference of that kind counts where
/// the programs do one operation of arithmetic another way, and is a law's where
/// they do several.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"

namespace assay::judge {

/// What the programs made of ordinary data, and of the data that shows the
/// difference.
struct TwoRuns {
  llvm::ArrayRef<MadeValue> ordinaryA, ordinaryB, exceptionalA, exceptionalB;
};

/// Values of the two programs correspond that are the same numbers on ordinary
/// data. True if the first such pair that parts on the exceptional data was
/// computed, in one of the programs, by more than one operation of arithmetic
/// from values that correspond (one of complex numbers is several), or by a
/// convolution with other terms that are
/// zero; and where no pair parts, since what differs corresponds to nothing.
bool isOfALaw(const TwoRuns &runs);

} // namespace assay::judge
