/// Trains one target: code that the folds (Trainer.cpp) and the files
/// (TrainFolder.cpp) share. Private to those two.
#pragma once

#include "assay/select/LightGbmApi.h"
#include "assay/select/Trainer.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace assay::select {

/// Whether the held-out predictions of a target pick kernels.
inline bool ranks(Target target) {
  return target == Target::Tflops || target == Target::Efficiency;
}

/// The time of one training, divided among its fits by their weights.
class FitTime {
public:
  using Clock = std::chrono::steady_clock;
  FitTime(double seconds, double weights)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(seconds))),
        isLimited_(seconds > 0), weightsLeft_(weights) {}

  /// When the fit that begins now must end.
  Clock::time_point nextEnd(double weight) {
    if (!isLimited_)
      return Clock::time_point::max();
    Clock::time_point now = Clock::now();
    double share = weight / std::max(weight, weightsLeft_);
    weightsLeft_ -= weight;
    return now +
           std::chrono::duration_cast<Clock::duration>((end_ - now) * share);
  }

private:
  Clock::time_point end_;
  bool isLimited_;
  double weightsLeft_;
};

/// The weight of a fit when the time is divided: the first target picks
/// kernels, the others only predict how fast they are.
inline double weightOf(Target target, const TrainOptions &options) {
  return target == options.targets.front() ? 3 : 1;
}

/// The rows of some groups in the form that LightGBM expects.
struct Slab {
  std::vector<size_t> index;
  std::vector<float> rows, labels, weights;
  std::vector<double> starts;
};

class TargetTrainer {
public:
  TargetTrainer(const Samples &samples, const TrainOptions &options,
                Target target, LightGbm &api, const TrainLog &log,
                const TreeModel *warm, FitTime &time)
      : samples_(samples), options_(options), target_(target), api_(api),
        log_(log), warm_(warm), time_(time),
        names_(featureNames(samples.features)),
        weights_(samples.groups.size(), 1.0f) {
    spec_.squareRoot = target == Target::Efficiency;
    spec_.logTransform = options.logTransform && !spec_.squareRoot;
    if (target != Target::Efficiency) // MFLOP/s, ns, MB/s
      spec_.unit = target == Target::Bandwidth ? 1e3 : 1e6;
    for (size_t f = 0; f < names_.size(); ++f)
      if (options.offset && target != Target::Latency && spec_.logTransform &&
          names_[f] == "log_roofline") {
        spec_.offset = names_[f];
        offsetFeature_ = static_cast<int>(f);
      }
  }

  const TargetSpec &spec() const { return spec_; }
  /// The trees that this training continues; null: there are none.
  const TreeModel *warm() const { return warm_; }
  std::string parameters() const;
  llvm::Expected<TargetReport> crossValidate();
  llvm::Expected<TreeModel> finish(TargetReport &report);
  llvm::Error mineHardExamples(TargetReport &report);

private:
  double labelOf(size_t i) const {
    double value = samples_.value(target_, i) * spec_.unit;
    if (spec_.squareRoot)
      return std::sqrt(value);
    return (spec_.logTransform ? std::log1p(value) : value) - offsetAt(i);
  }
  double offsetAt(size_t i) const {
    return offsetFeature_ >= 0 ? samples_.row(i)[offsetFeature_] : 0;
  }
  Slab slabOf(llvm::function_ref<bool(size_t group)> wanted) const;
  llvm::Expected<std::shared_ptr<LightGbm::Dataset>>
  datasetOf(const Slab &slab, const LightGbm::Dataset *reference) const;
  llvm::Expected<TreeModel> fit(const Slab &training, const Slab *stopping,
                                int trees) const;
  double sumOf(const TreeModel &model, size_t i) const;
  /// The sum of the continued trees for a row; computed once for each row.
  double startOf(size_t i) const;
  /// How well the model does on rows that it has not seen; also fills in their
  /// scores and their values in the report.
  FoldMetrics judgeHeldOut(const TreeModel &model, const Slab &held,
                           llvm::function_ref<bool(size_t group)> isHeldOut,
                           std::vector<double> &scores,
                           TargetReport &report) const;
  void logFold(const FoldMetrics &metrics) const;

  const Samples &samples_;
  const TrainOptions &options_;
  Target target_;
  LightGbm &api_;
  const TrainLog &log_;
  const TreeModel *warm_;
  FitTime &time_;
  mutable int cutFits_ = 0;
  mutable std::vector<double> starts_; ///< NaN: not computed yet
  std::vector<std::string> names_;
  std::vector<float> weights_; ///< of each group
  TargetSpec spec_;
  int offsetFeature_ = -1;
};

/// The time for all fits: those for the folds of each target, and the final
/// one.
FitTime fitTimeOf(const TrainOptions &options);

} // namespace assay::select
