/// A model for this machine in one call: collect, train, check, install.
#pragma once

#include "assay/kernels/Kind.h"
#include "assay/select/CollectRun.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

namespace assay::select {

struct AutoOptions {
  kernels::KernelKind kind;
  std::vector<Shape> shapes; ///< empty: drawn at random, as many as are needed
  std::vector<int> threads;
  KernelChoice kernels;
  std::string kernelsText; ///< as the user wrote it
  std::string folder;      ///< where models are installed
  double budgetSeconds = 900;
  double cap = 1; ///< GFLOP of the largest problem; less where the budget
                  ///< would measure too few of that size
  uint64_t seed = 0;
};

struct AutoReport {
  std::string target; ///< the folder that the model is for
  CollectReport collected;
  int64_t checked = 0;   ///< problems that are in no data set
  double checkedCap = 0; ///< GFLOP of the largest of them, at most
  int cutFits = 0;       ///< of the training, by the budget
  double seconds = 0;
  double learned = 0, analytic = 0; ///< mean efficiencies over them
  bool installed = false;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// CheckFailed when the analytic choice was better.
  ExitCode exitCode() const;
};

using AutoLog = std::function<void(const std::string &line)>;

/// Measurements of all runs are kept in `<folder>/gemm_<dtype>_<layout>.data`
/// and trained on. Measuring ends after half of the budget, training after
/// three quarters, the check at its end: in the middle of a problem, whose measurements
/// are kept all the same. Errors: those of collect(), train() and of files;
/// ResourceLimit when the budget is too short for one of them
llvm::Expected<AutoReport> makeModel(kernels::Registry &registry,
                                     const AutoOptions &options,
                                     const Interrupt &interrupt,
                                     const AutoLog &log);

} // namespace assay::select
