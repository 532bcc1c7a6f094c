/// A model for this machine in one call: collect, train, check, install.
#pragma once

#include "assay/select/CollectRun.h"
#include "assay/select/ModelSurvey.h"
#include "assay/select/SelfCheck.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

#include <set>

namespace assay::select {

struct AutoOptions {
  std::vector<ProblemRef> problems; ///< of one thread each; empty: drawn at
                                     ///< random, as many as are needed
  std::vector<int> threads;          ///< each problem on each of them
  KernelChoice kernels;
  std::string kernelsText; ///< as the user wrote it
  std::string folder;      ///< where models are installed
  double budgetSeconds = 900;
  double cap = 1; ///< GFLOP of the largest problem; less where the budget
                  ///< would measure too few of that size
  uint64_t seed = 0;
};

/// The new model's picks by the clock, on problems that are in no data set.
struct PickCheck {
  std::string before; ///< the previous choice: "model 'FOLDER'" or
                      ///< LocalSpace::plainBy()
  Speedup overBefore, overPlain;
  double cap = 0; ///< GFLOP of the largest problem, at most

  /// Faster than both, or at worst no slower than noise.
  bool isBetter() const { return overBefore.serves() && overPlain.serves(); }
};

struct AutoReport {
  std::string op;
  std::string target; ///< the folder that the model is for
  std::string base;   ///< the model whose trees it continues; empty: none
  CollectReport collected;
  PickCheck check;
  int cutFits = 0; ///< of the training, by the budget
  double seconds = 0;
  bool installed = false;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// CheckFailed when the model is not better than what is installed.
  ExitCode exitCode() const;
};

using AutoLog = std::function<void(const std::string &line)>;

/// Measurements of all runs are kept in `<folder>/<op>_<dtype>_<layout>.data`
/// and trained on; the trees continue those of the first other model that
/// dispatch would ask (the one that ships with Assay), which also says what is
/// measured first. Measuring ends after 60 % of the budget, training after
/// 75 %, the check at its end: in the middle of a problem, whose measurements
/// are kept all the same. Errors: those of collect(), train() and of files;
/// ResourceLimit when the budget is too short for any of them
llvm::Expected<AutoReport> makeModel(KernelSet &set,
                                     const AutoOptions &options,
                                     const Interrupt &interrupt,
                                     const AutoLog &log);

/// The folder of such a model: "FOLDER/gemm_f32_rcr", or, where that is of
/// another machine class (a home that several machines share), the same with
/// this class after it.
std::string autoTarget(llvm::StringRef folder, const ModelKind &kind,
                       const kernels::Machine &machine);

/// Times the picks of the model in `staged`, those of dispatch (with the models
/// of `options.folder`), and those of the choice without a model alternately, on
/// problems whose keys are not in `known`, until `seconds` (one at least) are over.
/// Errors: those of opening the model and of `interrupt`; having no problem is not
/// an error: overBefore.problems is 0
llvm::Expected<PickCheck> checkPicks(KernelSet &set, ThreadPool &pool,
                                     const AutoOptions &options,
                                     const std::string &staged,
                                     const std::set<std::string> &known,
                                     double seconds,
                                     const Interrupt &interrupt);

} // namespace assay::select
