/// The stage Judge of a contraction: results in the arena against expected sums,
/// which side is wrong where the two disagree, and the words of the report.
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
  /// multiplied on by this round's.
  double &missed;
};

/// Passed; Failed with the worst elements; Mistrusted when the data are exact and
/// too few outputs can show a changed term.
Status judgeSums(const SumQuestion &question, Outcome &outcome);

} // namespace assay::verify
