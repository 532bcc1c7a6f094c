/// Judges picks by measured time: a model's and the analytic ones against a
/// fresh race (the oracle), or those of two models against each other.
#pragma once

#include "assay/select/PickChanges.h"
#include "assay/select/Search.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

namespace assay::select {

/// Which problems are raced, and how.
struct RaceList {
  std::vector<int> threads; ///< each problem runs with each of these numbers
  RaceOptions race;
  double budgetSeconds = 0; ///< 0: no limit; a problem that was begun is
                            ///< finished
  int mostThreads() const;
};

struct ValidateReport {
  std::vector<Validation> rows;
  /// The mean and quantiles of one side's efficiencies.
  struct Side {
    double mean = 0, p50 = 0, p10 = 0, min = 0;
    /// Over problems whose best takes 20 us or more; nullopt if there are none.
    std::optional<double> min20us;
    double regretUsBelow20us = 0; ///< infinite when a pick could not run
  };
  Side learned, analytic;
  std::optional<Side> assumed; ///< JudgedPicks::assumed, where there was one
  std::optional<ErrorText> stopped; ///< Ctrl-C or --max-seconds
  int64_t seen = 0;                 ///< problems that the model's training has
                                    ///< seen
  std::string note;                 ///< says that the model is of another
                                    ///< machine, if it is

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const {
    return rows.empty() ? ExitCode::NothingChecked : ExitCode::Ok;
  }
  static constexpr const char *kNothing =
      "nothing was validated: the budget ended before the first problem";
};

/// Validates, problem by problem, the picks of dispatch with only the model in
/// `modelDir` (empty: with the models that dispatch finds), beside the choice
/// without a model. `quiet`: no progress line. Errors: those of openIn(); of
/// `interrupt` when nothing was measured
llvm::Expected<ValidateReport> validate(KernelSet &set,
                                        const std::string &modelDir,
                                        llvm::ArrayRef<ProblemRef> problems,
                                        const RaceList &list,
                                        const Interrupt &interrupt, bool quiet);

struct CompareModelsOptions {
  std::string modelDir, oldDir;
  std::vector<ProblemRef> problems;
  int mostPairs = 60;
  uint64_t seed = 0;
  bool measure = true;
  std::string output; ///< a .csv with one line per problem, or JSON; empty: not
                      ///< written
};

struct CompareModelsReport {
  struct Row {
    std::string problem, newPick, oldPick;
    double ratio = 0; ///< time of the new / time of the old; 0: not measured
    double noise = 0;

    bool agrees() const { return newPick == oldPick; }
    /// How much faster the new pick is, and the gain up to which it counts as
    /// no change.
    double gain() const { return ratio > 0 ? 1 / ratio - 1 : 0; }
    double slack() const { return std::max(kSameWithin, noise); }
  };
  /// All problems; first those for which the picks differ, the costliest first.
  std::vector<Row> rows;
  bool measured = false;
  std::string output;             ///< the file that they were written to
  std::vector<std::string> notes; ///< of models of other machines

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// NothingChecked when both models had a pick for no problem.
  ExitCode exitCode() const {
    return rows.empty() ? ExitCode::NothingChecked : ExitCode::Ok;
  }
  static constexpr const char *kNothing = "nothing was compared";
  PickChanges changes() const;
  std::string toCsv() const;
};

/// Errors: those of openIn() for both models; those of `interrupt` and of writing
llvm::Expected<CompareModelsReport>
compareModels(KernelSet &set, const CompareModelsOptions &options,
              const Interrupt &interrupt);

} // namespace assay::select
