/// The smallest problem, as words, that still fails.
#pragma once

#include "assay/triage/Asking.h"

namespace assay::triage {

/// Removes knobs and reduces the numbers of the descriptor (equal numbers
/// together, then one by one; also removes letter groups of a convolution)
/// while the problem fails in the same way. `from`: a variation that fails; its
/// engine, rule and judge are used for all others.
struct Smallest {
  Variation variation;
  Answer answer;
  int64_t asked = 0;
};
Smallest smallestWords(Asking &asking, const Variation &from,
                       double budgetSeconds);

} // namespace assay::triage
