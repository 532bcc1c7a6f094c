/// All steps of a recorded model, run again at once.
#pragma once

#include "assay/trace/StepReplay.h"

namespace assay::trace {

/// Whether a step is replayed where it has a program: its inputs or its result
/// differ. This includes equal results of different inputs: two faults may
/// cancel each other.
bool wantsReplay(const Comparison &comparison, const ModelStep &step);

/// The replays of the steps, on all threads: they depend only on the
/// recordings.
std::vector<std::optional<ReplayResult>>
replaySteps(const Comparison &comparison, const std::vector<ModelStep> &steps,
            const StepReplay &replay, ThreadPool &pool);

/// The text about a replay that finds the target wrong.
std::string describe(const ReplayResult &wrong);

} // namespace assay::trace
