// Chooses the options of the trees by the quality of their held-out picks:
// tries a short list around the default, each with the same folds. Of equal
// options the first is kept, so the default stays where nothing is better.
#include "assay/select/Trainer.h"

#include <algorithm>

using namespace assay;
using namespace assay::select;

namespace {
struct TreeShape {
  int leaves, minLeaf;
  double rate;
};
} // namespace

/// How good the held-out predictions are; greater is better.
static double worthOf(const TargetReport &report) {
  if (report.target == Target::Tflops || report.target == Target::Efficiency)
    return meanEfficiency(report);
  double sum = 0;
  for (const FoldMetrics &fold : report.folds)
    sum -= fold.rmse;
  return sum / static_cast<double>(report.folds.size());
}

llvm::Expected<TrainOptions> select::chooseTrees(const Samples &samples,
                                                 TrainOptions options,
                                                 const TrainLog &log) {
  const TreeShape shapes[] = {{options.leaves, options.minLeaf, options.rate},
                              {31, 10, 0.05},
                              {63, 10, 0.05},
                              {255, 10, 0.05},
                              {127, 40, 0.05},
                              {127, 10, 0.1}};
  TrainOptions trial = options;
  trial.folds = std::min(3, options.folds);
  double best = 0;
  for (const TreeShape &shape : shapes) {
    trial.leaves = shape.leaves;
    trial.minLeaf = shape.minLeaf;
    trial.rate = shape.rate;
    llvm::Expected<TargetReport> report =
        crossValidate(samples, trial, options.targets.front(), [](auto &) {});
    if (!report)
      return report.takeError();
    double worth = worthOf(*report);
    bool isBetter = &shape == shapes || worth > best;
    log(llvm::formatv("tune: {0} leaves of at least {1} rows, rate {2}: {3:f5}"
                      "{4}",
                      shape.leaves, shape.minLeaf, shape.rate, worth,
                      isBetter ? ", best so far" : "")
            .str());
    if (!isBetter)
      continue;
    best = worth;
    options.leaves = shape.leaves;
    options.minLeaf = shape.minLeaf;
    options.rate = shape.rate;
  }
  return options;
}
