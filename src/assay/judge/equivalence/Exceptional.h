/// The laws do not hold for the signs of zeros, infinities and NaN: (a + b) c
/// and a c + b c are the same number but may be zeros of different signs. Such
/// a difference counts where the programs do one arithmetic operation in
/// another way; where they do several, a law explains it.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"

namespace assay::judge {

/// The results of the programs on ordinary data, and on the data that shows the
/// difference.
struct TwoRuns {
  llvm::ArrayRef<MadeValue> ordinaryA, ordinaryB, exceptionalA, exceptionalB;
};

/// How the first two corresponding values that differ were computed.
enum class Parted : uint8_t {
  ByOne, ///< by one operation of arithmetic each from values that correspond
  ByALaw, ///< in one program by more than one (one of complex numbers is
          ///< several), or by a convolution with other zero terms
  Nowhere ///< none differs: the differing value has no counterpart
};

/// Values of the two programs correspond if they are the same numbers on
/// ordinary data.
Parted howTheyPart(const TwoRuns &runs);

} // namespace assay::judge
