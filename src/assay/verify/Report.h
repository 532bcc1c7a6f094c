/// Statuses, the line of each problem, the closing line and the exit code.
/// Knows no driver and no engine.
#pragma once

#include "assay/support/ExitCode.h"
#include "assay/verify/Problem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace assay::verify {

enum class Status : uint8_t {
  Passed,
  Failed,
  Mistrusted,
  Skipped,
  Unimplemented,
  InvalidArguments,
  Listed,
  Crashed,
  Timeout,
  Initialized, ///< mode I: created; counted as passed
  Executed,    ///< modes R and P: ran without a check; counted as passed
};
const char *nameOf(Status status);

/// The outcome of one problem.
struct Outcome {
  Status status = Status::Passed;
  std::string reason; ///< in brackets after the status
  std::vector<std::string>
      before; ///< lines above the problem's line (performance)
  std::vector<std::string>
      after;         ///< lines below it (worst points, patterns, program)
  std::string judge; ///< the engine that made the expected values
  double milliseconds = 0;
  llvm::json::Object facts;         ///< further fields for --json
  std::vector<std::string> untaken; ///< requests that the engine did not follow
  std::string printed; ///< the engine's output; the report shows its end after
                       ///< a failure
  bool showsAllPrinted = false;
  /// Fast references that were wrong, crashed or hung: "onednn hangs".
  std::vector<std::string> trouble;
};

/// One test case of the JUnit report.
struct JunitRow {
  std::string driver, repro, reason, details;
  Status status;
  double milliseconds;
};
void printJunit(llvm::raw_ostream &os, const std::vector<JunitRow> &rows,
                double seconds);

class Report {
public:
  /// `keepJson`, `keepJunit`: rows are kept for json() and junit().
  Report(llvm::raw_ostream &os, bool quiet, bool keepJson,
         bool keepJunit = false)
      : os_(os), quiet_(quiet), keepJson_(keepJson), keepJunit_(keepJunit) {}

  /// Prints "N:STATUS (reason) (T ms) __REPRO: ..." and the lines around it,
  /// and counts.
  void add(const Problem &problem, Outcome outcome);
  /// Prints the reasons of skipped and unimplemented problems, the time
  /// breakdown and the closing line.
  void close(double totalSeconds);
  void addTime(const char *part, double seconds) { times_[part] += seconds; }

  int64_t count(Status status) const {
    return counts_[static_cast<int>(status)];
  }
  int64_t tests() const { return tests_; }
  /// 2 for invalid arguments, 1 for anything failed, crashed, timed out,
  /// mistrusted or unimplemented, 3 when nothing was checked, else 0.
  ExitCode exitCode() const;
  llvm::json::Object json() const;
  void junit(llvm::raw_ostream &os, double totalSeconds) const {
    printJunit(os, junitRows_, totalSeconds);
  }

private:
  llvm::raw_ostream &os_;
  bool quiet_, keepJson_, keepJunit_;
  int64_t tests_ = 0;
  int64_t counts_[11] = {};
  std::map<std::string, int64_t> reasons_, untaken_, trouble_;
  std::map<std::string, double> times_;
  llvm::json::Array rows_;
  std::vector<JunitRow> junitRows_;
};

} // namespace assay::verify
