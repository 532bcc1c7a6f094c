/// From a stream of problems to the report: shards, what an earlier run has
/// finished, several problems at a time or in several processes (ranks/Sharing.h).
/// Outcomes are reported in the order of the problems, whatever order they end
/// in.
#pragma once

#include "assay/ranks/RankBoard.h"
#include "assay/support/Interrupt.h"
#include "assay/verify/Report.h"
#include "assay/verify/session/Session.h"

#include <memory>

namespace assay::verify {

/// The options of a whole run (a subset of RunOptions).
struct RunnerOptions {
  int jobs =
      1; ///< problems at a time, each with a session and workers of its own
  int threads = 0; ///< of all jobs together; 0: all cores
  int64_t memoryLimitBytes = 0;
  double maxSeconds = 0;
  int64_t shardIndex = 0, shardCount = 1;
  std::string resumeFile;
  std::unique_ptr<ranks::RankBoard>
      board; ///< of the processes that share the run
};

class Runner {
public:
  Runner(RunnerOptions options, Report &report);
  ~Runner();

  /// Opens the resume file, starts the jobs. Errors: a file that cannot be read
  /// or is not a list of finished problems.
  llvm::Error start();
  /// Takes a problem (it may wait until a job is free). Errors: Cancelled, the
  /// time limit, a problem that cannot run in parallel.
  llvm::Error add(Problem problem);
  /// Waits for what is running and reports it. Errors: as of add, or a resume
  /// file that cannot be written.
  llvm::Error finish();

  /// Whether this process has the report: always, except for ranks beside the
  /// first.
  bool reports() const;
  /// After finish(), for a rank that does not report: waits for the report.
  /// True when the one that made it has died: then all problems have to be added
  /// once more, which reports them; finished ones are not run again.
  bool takesOver();
  /// The report is written; the other ranks may end.
  void close();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::verify
