/// Training: cross-validation by problem, early stopping on an inner split, a
/// final model on all rows.
#pragma once

#include "assay/select/Metrics.h"
#include "assay/select/ModelFolder.h"

#include <functional>

namespace assay::select {

/// Parses targets such as "tflops,latency", each once. Errors: InvalidArgument
llvm::Expected<std::vector<Target>> parseTargets(llvm::StringRef list);

struct TrainOptions {
  std::vector<Target> targets = {Target::Efficiency, Target::Tflops,
                                 Target::Latency, Target::Bandwidth};
  int folds = 5;
  int trees = 500, leaves = 127, depth = 15, minLeaf = 10, patience = 50;
  double rate = 0.05, columns = 0.85, l1 = 0.05, l2 = 0.5;
  uint64_t seed = 42;
  int threads = 1;
  bool logTransform = true;
  bool offset = false; ///< start from the roofline feature instead of the mean
  int hardExamples =
      0; ///< rounds of iterative hard-example mining; kept only when they help
  bool choosesTrees = false; ///< runs chooseTrees() before training
  std::string warmStart;     ///< a folder with a model to add trees to
  int warmTrees = 200;
  /// Copies the targets of the continued model that are not among `targets`.
  bool keepsOthers = false;
  /// Fits share this time evenly and stop adding trees when their share has
  /// passed; the result then depends on the clock. 0: no limit.
  double mostSeconds = 0;
};

struct FoldMetrics {
  int fold = 0, trees = 0;
  double rmse = 0, r2 = 0, meanEfficiency = 0,
         p10Efficiency = 0; ///< the efficiencies for tflops only
  size_t trainRows = 0, validationRows = 0, validationGroups = 0;
};

struct TargetReport {
  Target target = Target::Tflops;
  std::vector<FoldMetrics> folds;
  std::vector<double> outOfFold; ///< the value predicted for each row by the
                                 ///< model that did not see its problem
  int finalTrees = 0;
  int hardRoundsKept = 0;
  int cutFits = 0; ///< the number of fits that TrainOptions::mostSeconds ended
};

/// The fold in which each group is held out. Shapes (m, n, k, batch, whatever
/// threads and layout) are taken by decreasing number of rows, and each goes to
/// the fold with the fewest rows so far.
std::vector<int> groupFolds(const Samples &samples, int folds);

using TrainLog = std::function<void(const std::string &line)>;

/// Runs the folds of one target only, to see how good it would be. Errors:
/// those of train()
llvm::Expected<TargetReport> crossValidate(const Samples &samples,
                                           const TrainOptions &options,
                                           Target target, const TrainLog &log);
/// The mean efficiency of the held-out picks, over problems.
double meanEfficiency(const TargetReport &report);

/// The options with the best of several sizes of the trees and learning rates:
/// the one whose held-out picks are best (or, for a target that does not rank
/// kernels, whose error is least), by at most three folds. Errors: those of
/// train()
llvm::Expected<TrainOptions>
chooseTrees(const Samples &samples, TrainOptions options, const TrainLog &log);

/// Trains and writes the model folder (models as .lgbm.gz, spec, manifest,
/// metrics, importances, out-of-fold predictions). The same data, options and
/// LightGBM give the same bytes.
/// Errors: those of LightGBM; InvalidArgument (fewer problems than folds, no
/// valid row, a warm start with other features or targets)
llvm::Expected<std::vector<TargetReport>> train(const Samples &samples,
                                                llvm::StringRef registryHash,
                                                const TrainOptions &options,
                                                llvm::StringRef outputFolder,
                                                const TrainLog &log);

} // namespace assay::select
