/// Where two programs first differ, by the fingerprints of all their values.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"

namespace assay::judge {

struct Parting {
  std::string a, b;    ///< "OP at LOCATION"; empty: none
  int64_t matched = 0; ///< values of the second that the first has too
};

/// Walks both programs back from their ends to the last value that they share;
/// after it, the first operation of each whose operands the other program also
/// computes, but whose result it does not.
Parting whereTheyPart(llvm::ArrayRef<MadeValue> a, llvm::ArrayRef<MadeValue> b);

} // namespace assay::judge
