/// Modes R and P: one run, or as many as fit the time, with statistics.
#pragma once

#include "assay/verify/session/Resources.h"
#include "assay/verify/session/Trial.h"

namespace assay::verify {

class Timing {
public:
  explicit Timing(Resources &resources) : resources_(resources) {}

  /// Times the trial's data in `places`. `index`: the problem's number in the
  /// run. Executed (or, in mode CP, Passed), or the status of a failure.
  Status run(Trial &trial, std::vector<engine::Placement> places,
             double createSeconds, int64_t index, engine::Worker &tested,
             Outcome &outcome);

private:
  struct Runs; ///< the runs of one problem
  double peakGflops(const TimedProblem &timed);
  engine::WorkerResult timeWithJudge(const Runs &runs,
                                     engine::RunRequest request, bool &isRight,
                                     Outcome &outcome);
  engine::WorkerResult timeAll(const Runs &runs, bool &isRight,
                               Outcome &outcome);
  /// The line of --perf-template. Errors: those of the template.
  llvm::Error report(const Runs &runs, const std::vector<double> &samples,
                     Outcome &outcome);

  Resources &resources_;
  std::map<std::string, double> peaks_; ///< GFLOP/s by pair of types
  std::string lastTemplate_;            ///< its header was printed
};

} // namespace assay::verify
