/// The report of `assay run` about a program, as text and as JSON, with the
/// same figures.
#pragma once

#include "assay/numerics/Rules.h"
#include "assay/program/Executor.h"
#include "assay/program/Expect.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::tools {

/// The results of one program of the file.
struct RunFacts {
  std::string program, function; ///< empty function: the program's own entry
  std::vector<program::CheckResult> checks;
  std::vector<program::ResultVerdict> verdicts;
  std::vector<double> timesMs; ///< ascending
  int64_t peakBytes = 0;
  std::string error; ///< why the run ended early

  int64_t passed() const;
  int64_t failed() const;
  int64_t mistrusted() const;
};

/// Adds a description of where the failing elements are to the pattern and the
/// text.
void addPatterns(std::vector<program::ResultVerdict> &verdicts);

/// Prints a line for each result, and the reasons of those that did not pass.
void printVerdicts(llvm::raw_ostream &os,
                   llvm::ArrayRef<program::ResultVerdict> verdicts,
                   const numerics::RuleSet &rules);

/// The document of `--json` for one program, or the sums of several with the
/// document of each in "programs".
llvm::json::Object runJson(llvm::ArrayRef<RunFacts> programs);

} // namespace assay::tools
