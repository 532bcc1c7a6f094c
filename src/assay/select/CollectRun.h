/// A whole collection: many problems, a data file that grows, and a budget.
#pragma once

#include "assay/ranks/RankBoard.h"
#include "assay/select/Collector.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

namespace assay::select {

struct CollectOptions {
  std::vector<ProblemRef> problems; ///< problems of the set
  std::string output;             ///< see DataFile::open
  RaceOptions race;
  std::string kernelsText = "all"; ///< race.kernels as the user wrote it
  /// Chooses the first candidates of a problem (RaceOptions::first), in place
  /// of the draws of race.kernels; null: not used.
  std::function<std::vector<int32_t>(const ProblemRef &)> first;
  double budgetSeconds = 0; ///< 0: no limit; a problem that was started is
                            ///< finished
};

struct CollectReport {
  std::string path;
  int64_t rows = 0, valid = 0, noisy = 0, failures = 0; ///< of the whole file
  int64_t problemsDone = 0, problemsLeft = 0; ///< of the options' problems
  int64_t problemsKept = 0; ///< complete before this run
  int64_t reused = 0;       ///< measurements that existed before this run
  double seconds = 0, noiseFloor = 0;
  /// Why the list was not finished: Cancelled (Ctrl-C) or ResourceLimit
  /// (--max-seconds). nullopt when it was finished, or when the budget ended.
  std::optional<ErrorText> stopped;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};

/// The progress of a collection; counts only the problems that this run measures.
struct CollectProgress {
  int64_t done = 0, of = 0;
  double secondsLeft = -1; ///< an estimate; negative if there is none yet
  std::string line;        ///< about the problem that was finished
  /// "3 of 40, about 12 s left  LINE".
  std::string text() const;
};
using CollectSink = std::function<void(const CollectProgress &)>;

/// Problems are measured in random order (by seed), so that a budget that ends
/// early still covers all kinds; problems that the file holds already are
/// skipped. `sink` is called once at the start, then after each problem.
/// Errors:   those of DataFile; Unsupported when no kernel supports a problem.
/// Whatever the error, the finished measurements are kept.
llvm::Expected<CollectReport> collect(KernelSet &set, ThreadPool &pool,
                                      const CollectOptions &options,
                                      const Interrupt &interrupt,
                                      const CollectSink &sink);

/// The same by several processes; each problem is measured by one of them. Each
/// rank writes its own journal, and the rank that reports merges them into one
/// file. Ranks of one machine measure one at a time, since they would disturb
/// each other. Returns nullopt on ranks that do not report.
llvm::Expected<std::optional<CollectReport>>
collectOnRanks(KernelSet &set, ThreadPool &pool,
               const CollectOptions &options, const Interrupt &interrupt,
               const CollectSink &sink, ranks::RankBoard &board);

} // namespace assay::select
