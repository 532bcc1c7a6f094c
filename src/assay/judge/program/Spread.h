/// The measure where no bound decides: the error of a result beside the errors
/// of other correct evaluations of the same program, all against the exact
/// result (the shadow).
#pragma once

#include "assay/judge/program/Evaluations.h"
#include "assay/judge/program/ProgramTruth.h"

namespace assay::judge {

/// An error up to this many times that of correct evaluations counts as one of
/// theirs. Four evaluations show a quarter of the largest error of many; twice
/// as much allows for implementations that are half as good.
inline constexpr double kNear = 8;
/// An error that is near but more than this many times rule dtype's
/// tolerance for an element of ordinary size is left undecided.
inline constexpr double kTelling = 16;
/// Beyond this many times the largest error of any evaluation, even those with
/// roundings 16 times as large, a result is wrong.
inline constexpr double kFar = 4;

/// `verdict`: failures are elements further off than any correct evaluation;
/// undecided are those beyond kNear or kTelling that decisions could explain.
struct SpreadVerdict {
  Verdict verdict;
  double reach = 0;    ///< the largest error of the evaluations
  bool passed = false; ///< no more undecided elements than in correct
                       ///< evaluations
};

/// Judges the elements of one result that `measured` marks. `bytes`: dense
/// elements of the result's own type.
SpreadVerdict judgeBySpread(const ProgramTruth &truth, size_t result,
                            const void *bytes,
                            llvm::ArrayRef<Evaluation> evaluations,
                            const std::vector<bool> &measured);

} // namespace assay::judge
