// The trainer. Rows that failed are left out. Labels are log1p of the value in
// a unit in which all values are much larger than 1 (MFLOP/s, ns, MB/s), so
// that a relative error counts the same on small and large problems. Each fold
// holds out whole problems; a tenth of the remaining problems decides when to
// stop, so that the held-out fold stays unseen. The final model has as many
// trees as the folds needed on average, and is trained on all rows. LightGBM
// runs in its deterministic mode. Source: CK Tile's training recipe, without
// its flaws (stopping on the scored fold, no record of data).
#include "assay/select/LightGbmText.h"
#include "assay/select/TrainerDetail.h"
#include "assay/support/Random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

using namespace assay;
using namespace assay::select;

llvm::Expected<std::vector<Target>> select::parseTargets(llvm::StringRef list) {
  std::vector<Target> targets;
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  for (llvm::StringRef name : names) {
    std::optional<Target> target = parseTarget(name);
    if (!target)
      return makeError(ErrorCode::InvalidArgument,
                       "--targets has '{0}', expected efficiency, tflops, "
                       "latency or bandwidth",
                       name);
    if (!llvm::is_contained(targets, *target))
      targets.push_back(*target);
  }
  return targets;
}

std::vector<int> select::groupFolds(const Samples &samples, int folds) {
  std::map<std::array<int64_t, 4>, std::vector<size_t>> byShape;
  for (size_t g = 0; g < samples.groups.size(); ++g) {
    const Samples::Group &group = samples.groups[g];
    byShape[{group.m, group.n, group.k, group.batch}].push_back(g);
  }
  std::vector<std::pair<size_t, const std::vector<size_t> *>>
      order; // rows, groups of one shape
  for (const auto &[shape, groups] : byShape) {
    size_t rows = 0;
    for (size_t g : groups)
      rows += samples.groups[g].count;
    order.push_back({rows, &groups});
  }
  llvm::stable_sort(
      order, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<size_t> load(folds, 0);
  std::vector<int> fold(samples.groups.size());
  for (const auto &[rows, groups] : order) {
    auto least = std::min_element(load.begin(), load.end()) - load.begin();
    for (size_t g : *groups)
      fold[g] = static_cast<int>(least);
    load[least] += rows;
  }
  return fold;
}

std::string TargetTrainer::parameters() const {
  std::string categories;
  for (size_t f = 0; f < samples_.features.size(); ++f)
    if (samples_.features[f].categorical)
      categories += (categories.empty() ? "" : ",") + std::to_string(f);
  return llvm::formatv("objective=regression metric=l2 num_leaves={0} "
                       "max_depth={1} learning_rate={2} "
                       "min_data_in_leaf={3} feature_fraction={4} "
                       "lambda_l1={5} lambda_l2={6} seed={7} num_threads={8} "
                       "deterministic=true force_row_wise=true verbosity=-1 "
                       "use_missing=false categorical_feature={9}",
                       options_.leaves, options_.depth, options_.rate,
                       options_.minLeaf, options_.columns, options_.l1,
                       options_.l2, options_.seed, options_.threads, categories)
      .str();
}

Slab TargetTrainer::slabOf(
    llvm::function_ref<bool(size_t group)> wanted) const {
  Slab slab;
  size_t features = samples_.features.size();
  for (size_t i = 0; i < samples_.count(); ++i) {
    if (!samples_.valid[i] || !wanted(samples_.group[i]))
      continue;
    slab.index.push_back(i);
    slab.rows.insert(slab.rows.end(), samples_.row(i),
                     samples_.row(i) + features);
    slab.labels.push_back(static_cast<float>(labelOf(i)));
    slab.weights.push_back(weights_[samples_.group[i]]);
    if (warm_)
      slab.starts.push_back(startOf(i));
  }
  return slab;
}

double TargetTrainer::sumOf(const TreeModel &model, size_t i) const {
  std::vector<double> row(samples_.row(i),
                          samples_.row(i) + samples_.features.size());
  return model.predict(row);
}

double TargetTrainer::startOf(size_t i) const {
  if (starts_.empty())
    starts_.assign(samples_.count(), std::nan(""));
  if (std::isnan(starts_[i]))
    starts_[i] = sumOf(*warm_, i);
  return starts_[i];
}

llvm::Expected<std::shared_ptr<LightGbm::Dataset>>
TargetTrainer::datasetOf(const Slab &slab,
                         const LightGbm::Dataset *reference) const {
  return api_.makeDataset({slab.rows,
                           static_cast<int64_t>(samples_.features.size()),
                           slab.labels, slab.weights, slab.starts, names_},
                          parameters(), reference);
}

/// Trains on a slab. With `stopping`, stops when its error has not fallen for
/// `patience` trees, and keeps the best number of trees.
llvm::Expected<TreeModel> TargetTrainer::fit(const Slab &training,
                                             const Slab *stopping,
                                             int trees) const {
  auto data = datasetOf(training, nullptr);
  if (!data)
    return data.takeError();
  auto booster = api_.makeBooster(*data, parameters());
  if (!booster)
    return booster.takeError();
  if (stopping) {
    auto validation = datasetOf(*stopping, data->get());
    if (!validation)
      return validation.takeError();
    if (llvm::Error error = (*booster)->addValidation(*validation))
      return error;
  }
  int best = trees;
  double bestError = INFINITY;
  FitTime::Clock::time_point end = time_.nextEnd(weightOf(target_, options_));
  for (int tree = 0; tree < trees; ++tree) {
    if (tree > 0 && FitTime::Clock::now() > end) {
      ++cutFits_;
      best = std::min(best, tree);
      break;
    }
    llvm::Expected<bool> finished = (*booster)->update();
    if (!finished)
      return finished.takeError();
    if (*finished)
      break;
    if (!stopping)
      continue;
    llvm::Expected<double> loss = (*booster)->evaluation(1);
    if (!loss)
      return loss.takeError();
    if (*loss < bestError) {
      bestError = *loss;
      best = tree + 1;
    } else if (tree + 1 - best >= options_.patience) {
      break;
    }
  }
  llvm::Expected<std::string> text = (*booster)->text(best);
  if (!text)
    return text.takeError();
  return parseLightGbm(*text, "the trained model");
}

/// Equal for all problems of one shape, whatever their threads and layout.
static uint64_t shapeHash(const Samples::Group &group) {
  int64_t sizes[] = {group.m, group.n, group.k, group.batch};
  return llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(sizes), sizeof sizes));
}

FoldMetrics
TargetTrainer::judgeHeldOut(const TreeModel &model, const Slab &held,
                            llvm::function_ref<bool(size_t group)> isHeldOut,
                            std::vector<double> &scores,
                            TargetReport &report) const {
  FoldMetrics metrics;
  metrics.trees = static_cast<int>(model.trees.size());
  metrics.validationRows = held.index.size();
  std::vector<double> predicted, measured;
  for (size_t i : held.index) {
    scores[i] = sumOf(model, i) + (warm_ ? startOf(i) : 0);
    predicted.push_back(scores[i]);
    measured.push_back(labelOf(i));
    report.outOfFold[i] = toValue(spec_, scores[i], offsetAt(i));
  }
  Fit quality = fitOf(predicted, measured);
  metrics.rmse = quality.rmse;
  metrics.r2 = quality.r2;
  std::vector<double> efficiencies;
  for (const PickOutcome &outcome : judgePicks(samples_, scores))
    if (isHeldOut(outcome.group))
      efficiencies.push_back(outcome.efficiency);
  metrics.validationGroups = efficiencies.size();
  metrics.meanEfficiency =
      std::accumulate(efficiencies.begin(), efficiencies.end(), 0.0) /
      std::max<size_t>(1, efficiencies.size());
  metrics.p10Efficiency = quantile(efficiencies, 0.1);
  return metrics;
}

void TargetTrainer::logFold(const FoldMetrics &metrics) const {
  std::string line =
      llvm::formatv("  fold {0}: {1} trees, rmse {2:f4}, R2 "
                    "{3:f4}",
                    metrics.fold, metrics.trees, metrics.rmse, metrics.r2)
          .str();
  if (metrics.r2 < 0)
    line += " (worse than the mean of the data: it needs more problems)";
  if (ranks(target_))
    line += llvm::formatv(", mean efficiency {0:P2}, P10 {1:P2} over {2} "
                          "problems",
                          metrics.meanEfficiency, metrics.p10Efficiency,
                          metrics.validationGroups)
                .str();
  log_(line);
}

llvm::Expected<TargetReport> TargetTrainer::crossValidate() {
  TargetReport report;
  report.target = target_;
  report.outOfFold.assign(samples_.count(), std::nan(""));
  std::vector<int> foldOf = groupFolds(samples_, options_.folds);
  std::vector<double> scores(samples_.count(), -INFINITY);
  CounterRandom random(options_.seed, 0x696e6e72);
  for (int fold = 0; fold < options_.folds; ++fold) {
    auto isHeldOut = [&](size_t g) { return foldOf[g] == fold; };
    auto isInner = [&](size_t g) {
      return !isHeldOut(g) &&
             random.uniform(shapeHash(samples_.groups[g])) < 0.1;
    };
    Slab training =
             slabOf([&](size_t g) { return !isHeldOut(g) && !isInner(g); }),
         inner = slabOf(isInner);
    Slab held = slabOf(isHeldOut);
    if (training.index.empty() || held.index.empty())
      return makeError(ErrorCode::InvalidArgument,
                       "fold {0} of {1} has no valid row; use fewer --n_splits",
                       fold, options_.folds);
    llvm::Expected<TreeModel> model =
        fit(training, inner.index.empty() ? nullptr : &inner,
            warm_ ? options_.warmTrees : options_.trees);
    if (!model)
      return model.takeError();
    FoldMetrics metrics = judgeHeldOut(*model, held, isHeldOut, scores, report);
    metrics.fold = fold;
    metrics.trainRows = training.index.size() + inner.index.size();
    report.folds.push_back(metrics);
    logFold(metrics);
  }
  return report;
}

double select::meanEfficiency(const TargetReport &report) {
  double sum = 0, count = 0;
  for (const FoldMetrics &fold : report.folds) {
    sum += fold.meanEfficiency * static_cast<double>(fold.validationGroups);
    count += static_cast<double>(fold.validationGroups);
  }
  return count > 0 ? sum / count : 0;
}

/// Doubles the weight of problems whose held-out pick was poor, and keeps the
/// weights when the held-out mean improves.
llvm::Error TargetTrainer::mineHardExamples(TargetReport &report) {
  for (int round = 0; round < options_.hardExamples; ++round) {
    std::vector<double> scores = report.outOfFold;
    for (double &score : scores)
      score = std::isnan(score) ? -INFINITY : score;
    std::vector<float> before = weights_;
    for (const PickOutcome &outcome : judgePicks(samples_, scores))
      if (outcome.efficiency < 0.9)
        weights_[outcome.group] = std::min(weights_[outcome.group] * 2, 8.0f);
    llvm::Expected<TargetReport> again = crossValidate();
    if (!again)
      return again.takeError();
    double was = meanEfficiency(report), is = meanEfficiency(*again);
    log_(
        llvm::formatv(
            "  hard examples, round {0}: mean efficiency {1:P2} -> {2:P2}: {3}",
            round + 1, was, is, is > was ? "kept" : "dropped")
            .str());
    if (is <= was) {
      weights_ = before;
      break;
    }
    again->hardRoundsKept = report.hardRoundsKept + 1;
    report = std::move(*again);
  }
  return llvm::Error::success();
}

llvm::Expected<TreeModel> TargetTrainer::finish(TargetReport &report) {
  double trees = 0;
  for (const FoldMetrics &fold : report.folds)
    trees += fold.trees;
  // All rows are slightly more than the folds had, so the mean number of trees
  // is not reduced.
  int count =
      std::max(1, static_cast<int>(std::lround(
                      trees / static_cast<double>(report.folds.size()))));
  llvm::Expected<TreeModel> model =
      fit(slabOf([](size_t) { return true; }), nullptr, count);
  if (!model)
    return model.takeError();
  if (warm_) {
    TreeModel merged = *warm_;
    merged.trees.insert(merged.trees.end(), model->trees.begin(),
                        model->trees.end());
    merged.parameters = model->parameters;
    *model = std::move(merged);
  }
  report.finalTrees = static_cast<int>(model->trees.size());
  report.cutFits = cutFits_;
  return model;
}

FitTime select::fitTimeOf(const TrainOptions &options) {
  double weights = 0;
  for (Target target : options.targets)
    weights += weightOf(target, options) * (options.folds + 1);
  return FitTime(options.mostSeconds, weights);
}

llvm::Expected<TargetReport> select::crossValidate(const Samples &samples,
                                                   const TrainOptions &options,
                                                   Target target,
                                                   const TrainLog &log) {
  auto api = LightGbm::load();
  if (!api)
    return api.takeError();
  FitTime time = fitTimeOf(options);
  return TargetTrainer(samples, options, target, **api, log, nullptr, time)
      .crossValidate();
}
