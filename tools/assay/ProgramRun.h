/// One program of `assay run`: makes its arguments, then plans, runs, judges
/// and reports.
#pragma once

#include "RunOptions.h"
#include "RunReport.h"

namespace assay::tools {

/// The results of a file's programs.
struct RunOutcome {
  ExitCode code = ExitCode::Ok;
  int64_t passed = 0, failed = 0, mistrusted = 0, engineSteps = 0;
  std::vector<RunFacts> programs;
};

/// Runs the function that the options name and adds the results to the outcome;
/// adds its facts even if it fails. `repro`: the command that is printed after
/// a failed check. Errors: those of planning and running.
llvm::Error runProgram(const RunOptions &options,
                       std::shared_ptr<const program::Program> program,
                       const std::string &repro, RunOutcome &outcome);

} // namespace assay::tools
