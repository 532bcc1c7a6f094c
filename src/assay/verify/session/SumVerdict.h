/// The stage Judge of a contraction: results in the arena against expected
/// sums, the side that is wrong where they disagree, and the text of the
/// report.
#pragma once

#include "assay/verify/Report.h"
#include "assay/verify/session/ExpectedSums.h"

namespace assay::verify {

/// One round's results with the data for judging them.
struct SumQuestion {
  const Lowered &c;
  const ContractionData &data;
  ExpectedSums &expected;
  Resources &resources;
  /// Probability that a changed term stays unseen in all exact data so far;
  /// each round multiplies its own into it.
  double &missed;
};

/// Passed; Failed with the worst elements; Mistrusted when the data are exact and
/// too few outputs can show a changed term.
Status judgeSums(const SumQuestion &question, Outcome &outcome);

} // namespace assay::verify
