/// The stages Place and Run: a trial's tensors in the arena, the engine under test on
/// them, and how a worker's answer is reported.
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/verify/Report.h"
#include "assay/verify/session/Resources.h"
#include "assay/verify/session/Trial.h"

namespace assay::verify {

Status statusOf(engine::WorkerResult::Kind kind);

/// Sets the status and reason of a problem that an error ends before anything
/// was tested: SKIPPED for too large problems, UNIMPLEMENTED for features that
/// Assay lacks, else INVALID_ARGUMENTS.
void refuse(llvm::Error error, Outcome &outcome);
/// Ends a problem with this status and the error as its reason.
void end(Status status, llvm::Error error, Outcome &outcome);

/// Whether the engine has a kernel of the trial ready; else the outcome says why not.
bool create(Trial &trial, int threads, engine::Worker &tested,
            Resources &resources, engine::WorkerResult &created,
            Outcome &outcome);

/// The trial's arguments in the arena, everything else there unwritten. Errors:
/// ResourceLimit.
llvm::Expected<std::vector<engine::Placement>>
put(Trial &trial, engine::Guard guard, engine::Unwritten unwritten,
    Resources &resources);

/// The engine's output, to help find the reason.
void notePrinted(const engine::WorkerResult &result, const RunOptions &run,
                 Outcome &outcome);

/// Notes the wrong elements of one result, for --json.
void noteWrong(llvm::StringRef data, llvm::StringRef result,
               llvm::ArrayRef<int64_t> dims, int64_t failures, int64_t elements,
               llvm::StringRef pattern, llvm::ArrayRef<judge::WorstPoint> worst,
               Outcome &outcome);

/// One run on data of the kind that `data` names. Passed, or the status of the
/// failure: an engine that calls a problem unsupported after making its kernel
/// has failed.
Status execute(llvm::ArrayRef<engine::Placement> places,
               engine::Unwritten unwritten, llvm::StringRef data,
               const RunOptions &run, engine::Worker &tested,
               Outcome &outcome);

/// Calls the kernel further times, unless `status` says that something was found
/// already: memory that grows with each call is a failure. Returns the status.
Status watchMemory(llvm::ArrayRef<engine::Placement> places,
                   const RunOptions &run, Status status,
                   engine::Worker &tested, Outcome &outcome);

/// Lets the engine forget its kernel: an engine that crashes while it cleans up
/// has not passed.
void destroy(engine::Worker &tested, Outcome &outcome);

} // namespace assay::verify
