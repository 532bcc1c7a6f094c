/// `assay passes`: for every neighbouring pair of a dump's programs, whether
/// it is one function; the first that is not names the pass.
#pragma once

#include "assay/judge/equivalence/Equivalence.h"
#include "assay/judge/equivalence/PassDump.h"
#include "assay/support/RecordFile.h"

namespace assay::judge {

/// The answer about a pass.
struct PassAnswer {
  std::string group, pass, before, after; ///< before, after: files
  EquivVerdict verdict = EquivVerdict::Equal;
  std::string line; ///< Equivalence::closingLine()
};

struct PassesReport {
  std::vector<PassAnswer> answers;
  std::vector<std::string> unread; ///< "FILE: why"
  std::vector<std::string> others; ///< files that hold no program
  /// Per group the first pass that changes the function: the number of an answer.
  std::vector<size_t> first;
  std::vector<std::string> written; ///< files that show the first of all

  static constexpr const char *kNothing =
      "nothing to compare: expected two or more programs of one module";
  ExitCode exitCode() const;
  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
};

struct PassesRequest {
  PassDump dump; ///< HLO is converted already
  LawSet laws = LawSet::defaults();
  bool precisionMayChange = false;
  int draws = 2, jobs = 1;
  uint64_t seed = 0;
  double maxSeconds = 60;
  std::string output; ///< folder for files that show the first change; or empty
  /// Has the answers of an earlier run, and gets the new ones; or null.
  RecordFile *journal = nullptr;
  bool quiet = false;
};

/// Errors: those of files that are written; Cancelled.
llvm::Expected<PassesReport> askPasses(const PassesRequest &request);

} // namespace assay::judge
