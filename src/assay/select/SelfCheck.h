/// Tests whether a model that was made on another machine helps on this one.
/// Its picks and those of the analytic choice (of the engine's rule, for
/// convolutions) are timed alternately on problems drawn by seed. The result is
/// stored per user, and dispatch reads it.
#pragma once

#include "assay/select/LearnedSelector.h"
#include "assay/support/ExitCode.h"
#include "assay/support/Interrupt.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace assay::select {

/// The speed-up over the choice without a model: the geometric mean with its 95
/// % interval, over all problems (1 where both pick the same kernel). A single
/// problem has no interval.
struct Speedup {
  double mean = 1, low = 1, high = 1;
  int64_t problems = 0, differing = 0;
  std::string date; ///< "2026-11-22"
  std::vector<double> ratios = {}; ///< of a check that was made just now

  /// True if the interval is above 0.98 and the mean above 1: it is faster, or
  /// at worst no slower than the noise.
  bool serves() const { return problems > 1 && mean > 1 && low > 0.98; }
  /// "1.09x the analytic choice over 24 problems (1.05 to 1.13), 2026-11-22".
  std::string text(llvm::StringRef over) const;
  /// {"speedup": 1.09, "low": ..., "problems": 24, "serves": true, ...}
  llvm::json::Object toJson() const;
};

/// The geometric mean of ratios, dated today, with the 95 % interval by
/// Student's distribution of their logarithms. A ratio of 1 counts as equal
/// picks.
Speedup summarizeRatios(llvm::ArrayRef<double> ratios);

/// The result of an earlier check of the model in `folder`, with this machine
/// and list of kernels; nullopt: it was never checked, or has changed since.
std::optional<Speedup> knownSpeedup(llvm::StringRef folder,
                                    const kernels::Registry &registry);
/// Stores it for this user. Errors: those of writing; a folder without a model.
llvm::Error keepSpeedup(llvm::StringRef folder,
                        const kernels::Registry &registry,
                        const Speedup &speedup);

struct SelfCheckOptions {
  std::vector<int> threads = {1};
  double budgetSeconds = 30; ///< a problem that was begun is finished
  int64_t mostProblems = 400;
  uint64_t seed = 0;
};

struct SelfCheckReport {
  struct Row {
    std::string folder;
    std::string foreign; ///< why the model needs the check; empty: made on this
                         ///< machine
    std::string over;    ///< plainName() of its operation
    Speedup speedup;
  };
  std::vector<Row> rows; ///< one per model

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const {
    return rows.empty() ? ExitCode::NothingChecked : ExitCode::Ok;
  }
  static constexpr const char *kNothing =
      "no model of another machine was found: there is nothing to check";
};

/// Makes the set of kernels that the model in a folder is for.
using SetOf = llvm::function_ref<llvm::Expected<std::unique_ptr<KernelSet>>(
    llvm::StringRef folder)>;

/// Checks the models of these folders, each with its share of the budget, and
/// stores the results. Errors: those of `setOf`, of opening a model, of
/// `interrupt`, of writing; ResourceLimit when the budget ends before the first
/// problem.
llvm::Expected<SelfCheckReport> checkModels(SetOf setOf,
                                            llvm::ArrayRef<std::string> folders,
                                            const SelfCheckOptions &options,
                                            const Interrupt &interrupt,
                                            bool quiet);

/// The folders whose model dispatch considers, although it was made on another
/// machine.
std::vector<std::string> foreignModels(const kernels::Registry &registry);

} // namespace assay::select
