/// The smallest problem in words that still fails.
#pragma once

#include "assay/triage/Asking.h"

namespace assay::triage {

/// Takes knobs away and makes the numbers of the descriptor smaller (equal
/// numbers together, then one by one; letter groups of a convolution away)
/// while the problem fails in the same way. `from`: a variation that fails; its
/// engine, rule and judge apply to all.
struct Smallest {
  Variation variation;
  Answer answer;
  int64_t asked = 0;
};
Smallest smallestWords(Asking &asking, const Variation &from,
                       double budgetSeconds);

} // namespace assay::triage
