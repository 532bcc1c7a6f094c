/// Problems one after the other, each by the same stages: Plan, then for each round
/// Fill, Place, Run, Expect and Judge, then Timing. One session serves one
/// thread.
#pragma once

#include "assay/verify/session/Plan.h"
#include "assay/verify/session/Timing.h"

namespace assay::verify {

class Session {
public:
  explicit Session(SessionOptions options)
      : resources_(std::move(options)), timing_(resources_) {}

  /// Never fails: errors are outcomes. `index`: the problem's number in
  /// the run, for the report of mode P.
  Outcome run(const Problem &problem, int64_t index = 0);
  /// Cuts the memory limit into as many parts as sessions run at the same time.
  void shareMemory(int sessions) { resources_.shareMemory(sessions); }
  /// Seconds spent in fill, execute, expected values, comparison and other
  /// stages since the start.
  const std::map<std::string, double> &times() const {
    return resources_.times();
  }

private:
  void runPlanned(const PlannedProblem &planned, int64_t index,
                  Outcome &outcome);
  /// The verdicts on the options' properties (properties/Properties.h), from runs
  /// by the same stages.
  void runProperties(const PlannedProblem &planned, Outcome &outcome);
  /// The engine's process, with room in memory for the problem; null: the
  /// outcome has the reason.
  engine::Worker *testedEngine(const RunOptions &run, double bytes,
                               Outcome &outcome);
  void check(Trial &trial, engine::Worker &tested, Outcome &outcome);
  Status runRound(Trial &trial, const Round &round, size_t number,
                  std::vector<engine::Placement> &places,
                  engine::Worker &tested, Outcome &outcome);
  void time(Trial &trial, double createSeconds, int64_t index,
            engine::Worker &tested, Outcome &outcome);

  Resources resources_;
  Planner planner_;
  Timing timing_;
};

} // namespace assay::verify
