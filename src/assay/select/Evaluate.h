/// Judging a model's picks on measured problems, alone or against a baseline.
#pragma once

#include "assay/select/Metrics.h"
#include "assay/select/ModelFolder.h"
#include "assay/select/PickChanges.h"
#include "assay/support/ExitCode.h"

namespace assay::select {

struct EvaluateOptions {
  std::string modelDir, dataDir;
  std::string baseline;  ///< a model folder; empty: none
  std::string op, dtype; ///< of the rows; empty: the model's
  bool unseenOnly = false;
  /// The file for the picks: a .csv with one line per problem, or the whole
  /// report as JSON; empty: not written.
  std::string output;
};

/// One problem: the picks and how near they are to the best kernel.
struct JudgedPick {
  Samples::Group problem;
  std::string best, pick;
  double bestTflops = 0, pickTflops = 0, efficiency = 0;
  std::string oldPick;      ///< the baseline's; empty if there is none
  double oldEfficiency = 0; ///< the baseline's
};

struct EvaluateReport {
  std::string modelDir, baseline;
  Summary summary;
  std::vector<Slice> slices;
  size_t rows = 0, problems = 0, seen = 0;
  int64_t failures = 0;
  bool unseenOnly = false;
  std::vector<JudgedPick> picks;
  // With a baseline:
  std::optional<Acceptance> acceptance;
  Summary oldSummary;
  PickChanges changes;
  std::string output; ///< the file that the picks were written to
  std::string note;   ///< says that the model is of another machine, if it is

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// CheckFailed when the baseline's criteria are missed; NothingChecked when
  /// there was no problem to judge.
  ExitCode exitCode() const;
  static constexpr const char *kNothing =
      "nothing to judge: no problem with a valid row (or, with --unseen, none "
      "that the model was not trained on)";
};

/// Errors: those of loadModel, readParquetFolder and makeSamples;
/// InvalidArgument (the data is about another subject than the model); those of
/// writing
llvm::Expected<EvaluateReport> evaluate(const EvaluateOptions &options);

} // namespace assay::select
