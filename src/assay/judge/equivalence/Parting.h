/// Where two programs first differ, by the fingerprints of all their values.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"

namespace assay::judge {

struct Parting {
  std::string a, b;    ///< "OP at LOCATION"; empty: none
  int64_t matched = 0; ///< values of the second that the first has too
};

/// The earliest operation of each program whose result the other never makes
/// although it has all its operands, and that no later common value hides: seen
/// from the end, the last such stretch.
Parting whereTheyPart(llvm::ArrayRef<MadeValue> a, llvm::ArrayRef<MadeValue> b);

} // namespace assay::judge
