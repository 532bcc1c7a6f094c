/// From a stream of problems to the report: shards, results of an earlier run,
/// several problems at a time or in several processes (ranks/Sharing.h).
/// Outcomes are reported in the order of the problems, in whatever order they
/// end.
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
      1; ///< problems at a time, each with its own session and workers
  int threads = 0; ///< for all jobs together; 0: all cores
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
  /// Adds a problem (waits until a job is free). Errors: Cancelled, the time
  /// limit, a problem that cannot run in parallel.
  llvm::Error add(Problem problem);
  /// Waits for the running problems and reports them. Errors: as of add, or a
  /// resume
  /// file that cannot be written.
  llvm::Error finish();

  /// Whether this process writes the report: true, except for ranks other than
  /// the first.
  bool reports() const;
  /// After finish(), for a rank that does not report: waits for the report.
  /// True if the rank that made it has died: then all problems have to be added
  /// once more, which reports them; finished ones are not run again.
  bool takesOver();
  /// The report is written; the other ranks may end.
  void close();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::verify
