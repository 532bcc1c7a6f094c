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
  std::vector<ProblemRef> problems; ///< with one thread each; empty: drawn at
                                    ///< random, as many as are needed
  std::vector<int> threads;          ///< the numbers of threads to run each
                                     ///< problem with
  KernelChoice kernels;
  std::string kernelsText; ///< as the user wrote it
  std::string folder;      ///< where models are installed
  double budgetSeconds = 900;
  double cap = 1; ///< the GFLOP of the largest problem; less where the budget
                  ///< would allow too few of that size
  uint64_t seed = 0;
};

/// The new model's picks, timed on problems that are in no data set.
struct PickCheck {
  std::string before; ///< the previous choice: "model 'FOLDER'" or
                      ///< LocalSpace::plainBy()
  Speedup overBefore, overPlain;
  double cap = 0; ///< the GFLOP of the largest problem, at most

  /// True if it is faster than both, or at worst no slower than the noise.
  bool isBetter() const { return overBefore.serves() && overPlain.serves(); }
};

struct AutoReport {
  std::string op;
  std::string target; ///< the folder that the model is made for
  std::string base;   ///< the model whose trees it continues; empty: none
  CollectReport collected;
  PickCheck check;
  int cutFits = 0; ///< fits of the training that the budget ended
  double seconds = 0;
  bool installed = false;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// CheckFailed when the model is not better than what is installed.
  ExitCode exitCode() const;
};

using AutoLog = std::function<void(const std::string &line)>;

/// Measurements of all runs are kept in `<folder>/<op>_<dtype>_<layout>.data`
/// and used for training. The trees continue those of the first other model
/// that dispatch would use (the one that ships with Assay), which also decides
/// what is measured first. Measuring ends after 60 % of the budget, training
/// after 75 %, the check at its end. An interrupted problem keeps its
/// measurements. Errors: those of collect(), train() and of files;
/// ResourceLimit when the budget is too short for any of them
llvm::Expected<AutoReport> makeModel(KernelSet &set,
                                     const AutoOptions &options,
                                     const Interrupt &interrupt,
                                     const AutoLog &log);

/// The folder of such a model: "FOLDER/gemm_f32_rcr". If a model of another
/// machine class is there already (a home that several machines share), the
/// name ends in this machine's class.
std::string autoTarget(llvm::StringRef folder, const ModelKind &kind,
                       const kernels::Machine &machine);

/// Times the picks of the model in `staged`, those of dispatch (with the models
/// of `options.folder`), and those of the choice without a model, alternately,
/// on problems whose keys are not in `known`, for `seconds` seconds (at least
/// one). Errors: those of opening the model and of `interrupt`. If there is no
/// problem, overBefore.problems is 0; that is not an error
llvm::Expected<PickCheck> checkPicks(KernelSet &set, ThreadPool &pool,
                                     const AutoOptions &options,
                                     const std::string &staged,
                                     const std::set<std::string> &known,
                                     double seconds,
                                     const Interrupt &interrupt);

} // namespace assay::select
