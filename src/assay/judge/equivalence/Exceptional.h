/// Zeros' signs, infinities and NaN do not obey the laws: (a + b) c and a c + b c
/// are one number and have other zeros. A difference of that kind counts where
/// the programs do one operation of arithmetic another way, and is a law's where
/// they do several.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"

namespace assay::judge {

/// The results of the programs on ordinary data, and on the data that shows the
/// difference.
struct TwoRuns {
  llvm::ArrayRef<MadeValue> ordinaryA, ordinaryB, exceptionalA, exceptionalB;
};

/// How the first two values that correspond and part were computed.
enum class Parted : uint8_t {
  ByOne, ///< by one operation of arithmetic each from values that correspond
  ByALaw, ///< in one program by more (one of complex numbers is several), or by
          ///< a convolution with other terms that are zero
  Nowhere ///< none differs: the differing value has no counterpart
};

/// Values of the two programs correspond that are the same numbers on ordinary
/// data.
Parted howTheyPart(const TwoRuns &runs);

} // namespace assay::judge
