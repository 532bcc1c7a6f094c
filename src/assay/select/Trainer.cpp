// The trainer. Rows that failed are left out; labels become log1p of the value
// in a unit in which all problems are large against 1 (MFLOP/s, ns, MB/s), so
// that a relative error counts the same on small and large problems. Each fold
// holds out whole problems; a tenth of the remaining problems decides when to
// stop, so that the held-out fold stays unseen. The final model has as many
// trees as the folds needed on average, on all rows. LightGBM runs in its
// deterministic mode. Source: CK Tile's training recipe, with its flaws
// (stopping on the scored fold, no record of data) left out.
#include "assay/select/Trainer.h"
#include "assay/select/LightGbmApi.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Manifest.h"
#include "assay/select/Parquet.h"
#include "assay/support/Random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <array>
#include <chrono>
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

/// Targets whose held-out predictions pick kernels.
static bool ranks(Target target) {
  return target == Target::Tflops || target == Target::Efficiency;
}

namespace {
/// The time of one training, shared by its fits by their weights.
class FitTime {
public:
  using Clock = std::chrono::steady_clock;
  FitTime(double seconds, double weights)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(seconds))),
        isLimited_(seconds > 0), weightsLeft_(weights) {}

  /// When the fit that begins now is to end.
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

/// Of a fit's time: the first target picks kernels, the others only say how
/// fast they are.
double weightOf(Target target, const TrainOptions &options) {
  return target == options.targets.front() ? 3 : 1;
}

/// The rows of some groups as LightGBM wants them.
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
  /// The trees that this training continues; null: none.
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
  /// How well the model does on the rows that it has not seen; their scores and
  /// their values in the report are filled in.
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
  std::vector<std::string> names_;
  std::vector<float> weights_; ///< of each group
  TargetSpec spec_;
  int offsetFeature_ = -1;
};
} // namespace

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
      slab.starts.push_back(sumOf(*warm_, i));
  }
  return slab;
}

double TargetTrainer::sumOf(const TreeModel &model, size_t i) const {
  std::vector<double> row(samples_.row(i),
                          samples_.row(i) + samples_.features.size());
  return model.predict(row);
}

llvm::Expected<std::shared_ptr<LightGbm::Dataset>>
TargetTrainer::datasetOf(const Slab &slab,
                         const LightGbm::Dataset *reference) const {
  return api_.makeDataset({slab.rows,
                           static_cast<int64_t>(samples_.features.size()),
                           slab.labels, slab.weights, slab.starts, names_},
                          parameters(), reference);
}

/// Trains on a slab; with `stopping`, until its error has not fallen for
/// `patience` trees (the best count is kept).
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

/// The same number for all problems of one shape, whatever their threads and
/// layout.
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
    scores[i] = sumOf(model, i) + (warm_ ? sumOf(*warm_, i) : 0);
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
  // All rows are a little more than the folds had, so the mean count is not
  // cut.
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

// ---- the folder

static llvm::Error checkWarmStart(const Model &old, const Samples &samples,
                                  const FeatureSpec &spec) {
  if (llvm::Error error = checkSchema(old))
    return error;
  if (llvm::Error error = checkSubject(old, samples))
    return error;
  if (old.spec.categorical != spec.categorical ||
      old.spec.registryHash != spec.registryHash)
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' has other categorical features or "
                     "another list of kernels; it "
                     "cannot be continued",
                     old.folder);
  for (const auto &[target, details] : spec.targets) {
    auto it = old.spec.targets.find(target);
    if (it == old.spec.targets.end() ||
        it->second.logTransform != details.logTransform ||
        it->second.offset != details.offset || it->second.unit != details.unit)
      return makeError(ErrorCode::InvalidArgument,
                       "the model '{0}' has no target '{1}' with the same "
                       "transform; it cannot be "
                       "continued",
                       old.folder, toString(target));
  }
  return llvm::Error::success();
}

static llvm::json::Array foldsJson(const TargetReport &report) {
  llvm::json::Array folds;
  for (const FoldMetrics &f : report.folds) {
    llvm::json::Object object{
        {"fold", f.fold}, {"trees", f.trees}, {"rmse", f.rmse}, {"r2", f.r2}};
    if (ranks(report.target)) {
      object["mean_efficiency"] = f.meanEfficiency;
      object["p10_efficiency"] = f.p10Efficiency;
    }
    object["train_size"] = static_cast<int64_t>(f.trainRows);
    object["val_size"] = static_cast<int64_t>(f.validationRows);
    object["val_groups"] = static_cast<int64_t>(f.validationGroups);
    folds.push_back(std::move(object));
  }
  return folds;
}

static llvm::Error writeTarget(llvm::StringRef folder,
                               const TargetReport &report,
                               const TreeModel &model) {
  std::string name = toString(report.target);
  if (llvm::Error error =
          writeLightGbm(model, inside(folder, "model_" + name + ".lgbm.gz")))
    return error;
  if (llvm::Error error = writeJsonFile(
          inside(folder, "cv_metrics_" + name + ".json"), foldsJson(report)))
    return error;
  llvm::json::Object splits, gains;
  std::vector<int64_t> counts = model.splitCounts();
  std::vector<double> totals = model.totalGains();
  for (size_t f = 0; f < counts.size(); ++f) {
    splits[model.featureNames[f]] = counts[f];
    gains[model.featureNames[f]] = totals[f];
  }
  return writeJsonFile(inside(folder, "feature_importances_" + name + ".json"),
                       llvm::json::Object{{"split", std::move(splits)},
                                          {"gain", std::move(gains)}});
}

static llvm::Error writeOutOfFold(llvm::StringRef folder,
                                  const Samples &samples,
                                  const TargetReport &report) {
  ColumnTable table;
  table.rows = static_cast<int64_t>(samples.count());
  table.columns.reserve(8);
  Column &key = table.add("problem", ColumnType::Text),
         &kernel = table.add("kernel_name", ColumnType::Text);
  Column &measured = table.add("measured_tflops", ColumnType::Float),
         &predicted = table.add("predicted_tflops", ColumnType::Float);
  Column &valid = table.add("is_valid", ColumnType::Boolean);
  for (size_t i = 0; i < samples.count(); ++i) {
    key.texts.push_back(samples.groups[samples.group[i]].key);
    kernel.texts.push_back(samples.kernel[i]);
    measured.numbers.push_back(samples.tflops[i]);
    predicted.numbers.push_back(report.outOfFold[i]);
    valid.integers.push_back(samples.valid[i]);
  }
  return writeParquet(table, inside(folder, "oof_predictions.parquet"));
}

/// What the features of these samples are, whatever is learned from them.
static FeatureSpec specOf(const Samples &samples,
                          llvm::StringRef registryHash) {
  FeatureSpec spec;
  spec.subject = samples.subject;
  spec.hardware = samples.hardware;
  spec.layout = samples.groups[0].layout;
  for (const Samples::Group &group : samples.groups)
    if (group.layout != spec.layout)
      spec.layout.clear();
  for (const Samples::Group &group : samples.groups)
    if (!llvm::is_contained(spec.threads, group.threads))
      spec.threads.push_back(group.threads);
  llvm::sort(spec.threads);
  spec.schemaHash = schemaHash(samples.features);
  spec.registryHash = registryHash.str();
  spec.names = featureNames(samples.features);
  for (const FeatureInfo &feature : samples.features)
    if (feature.categorical)
      spec.categorical.push_back(feature.name);
  return spec;
}

/// The model to continue, if one is named.
static llvm::Expected<std::optional<Model>>
warmStartOf(const TrainOptions &options, const Samples &samples,
            const FeatureSpec &spec) {
  if (options.warmStart.empty())
    return std::nullopt;
  llvm::Expected<Model> loaded = loadModel(options.warmStart);
  if (!loaded)
    return loaded.takeError();
  if (llvm::Error error = checkWarmStart(*loaded, samples, spec))
    return error;
  return std::move(*loaded);
}

namespace {
/// train_manifest.json: how the model came about, target by target.
struct Manifest {
  void add(const TargetTrainer &trainer, const TargetReport &report,
           const TreeModel &model);
  llvm::json::Object take(const Samples &samples, const TrainOptions &options,
                          const Model *parent);

  llvm::json::Object parameters, hashes, previous, totals, hardRounds, cuts;
};
} // namespace

void Manifest::add(const TargetTrainer &trainer, const TargetReport &report,
                   const TreeModel &model) {
  std::string name = toString(report.target);
  parameters[name] = trainer.parameters();
  hashes[name] =
      llvm::utohexstr(llvm::xxh3_64bits(printLightGbm(model)), true, 16);
  const TreeModel *warm = trainer.warm();
  previous[name] = warm ? static_cast<int64_t>(warm->trees.size()) : 0;
  totals[name] = report.finalTrees;
  hardRounds[name] = report.hardRoundsKept;
  cuts[name] = report.cutFits;
}

llvm::json::Object Manifest::take(const Samples &samples,
                                  const TrainOptions &options,
                                  const Model *parent) {
  return llvm::json::Object{
      {"warm_start_from", options.warmStart.empty() ? llvm::json::Value(nullptr)
                                                    : options.warmStart},
      {"prev_n_estimators", std::move(previous)},
      {"total_n_estimators", std::move(totals)},
      {"n_estimators_limit", options.trees},
      {"n_splits", options.folds},
      {"early_stopping_rounds", options.patience},
      {"hard_example_rounds_kept", std::move(hardRounds)},
      {"fits_cut_by_time", std::move(cuts)},
      {"parameters", std::move(parameters)},
      {"model_xxh3", std::move(hashes)},
      {"data_xxh3", samples.hash()},
      {"data_rows", static_cast<int64_t>(samples.count())},
      {"valid_rows", static_cast<int64_t>(samples.count()) - samples.failures},
      {"unique_shapes", static_cast<int64_t>(samples.groups.size())},
      {"noise_floor", samples.noiseFloor},
      {"seed", static_cast<int64_t>(options.seed)},
      {"seen_groups", seenProblems(samples, parent)},
      {"training_range", trainingRange(samples, parent)},
      {"assay_version", ASSAY_VERSION}};
}

/// The time of all fits: the folds of each target and its last one.
static FitTime fitTimeOf(const TrainOptions &options) {
  double weights = 0;
  for (Target target : options.targets)
    weights += weightOf(target, options) * (options.folds + 1);
  return FitTime(options.mostSeconds, weights);
}

/// One target from its folds to its files in the folder.
static llvm::Expected<TargetReport>
trainTarget(TargetTrainer &trainer, const Samples &samples, bool mines,
            llvm::StringRef folder, Manifest &manifest) {
  llvm::Expected<TargetReport> report = trainer.crossValidate();
  if (!report)
    return report;
  if (mines && ranks(report->target))
    if (llvm::Error error = trainer.mineHardExamples(*report))
      return error;
  llvm::Expected<TreeModel> model = trainer.finish(*report);
  if (!model)
    return model.takeError();
  if (llvm::Error error = writeTarget(folder, *report, *model))
    return error;
  if (report->target == Target::Tflops)
    if (llvm::Error error = writeOutOfFold(folder, samples, *report))
      return error;
  manifest.add(trainer, *report, *model);
  return report;
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

llvm::Expected<std::vector<TargetReport>>
select::train(const Samples &samples, llvm::StringRef registryHash,
              const TrainOptions &options, llvm::StringRef outputFolder,
              const TrainLog &log) {
  if (static_cast<int64_t>(samples.groups.size()) < std::max(2, options.folds))
    return makeError(ErrorCode::InvalidArgument,
                     "the data has {0} problems, {1} folds need at least as "
                     "many; collect more or "
                     "use fewer --n_splits",
                     samples.groups.size(), options.folds);
  auto api = LightGbm::load();
  if (!api)
    return api.takeError();
  FeatureSpec spec = specOf(samples, registryHash);
  FitTime time = fitTimeOf(options);
  for (Target target : options.targets)
    spec.targets[target] =
        TargetTrainer(samples, options, target, **api, log, nullptr, time)
            .spec();
  llvm::Expected<std::optional<Model>> old =
      warmStartOf(options, samples, spec);
  if (!old)
    return old.takeError();
  if (std::error_code code = llvm::sys::fs::create_directories(outputFolder))
    return makeError(ErrorCode::InvalidArgument,
                     "cannot make the folder '{0}': {1}", outputFolder,
                     code.message());

  std::vector<TargetReport> reports;
  Manifest manifest;
  for (Target target : options.targets) {
    log(llvm::formatv("{0}: {1} rows, {2} problems, {3} folds",
                      toString(target), samples.count() - samples.failures,
                      samples.groups.size(), options.folds)
            .str());
    const TreeModel *warm = *old ? &(*old)->trees.at(target) : nullptr;
    TargetTrainer trainer(samples, options, target, **api, log, warm, time);
    llvm::Expected<TargetReport> report =
        trainTarget(trainer, samples, target == options.targets.front(),
                    outputFolder, manifest);
    if (!report)
      return report.takeError();
    reports.push_back(std::move(*report));
  }
  if (llvm::Error error = writeJsonFile(
          inside(outputFolder, "feature_spec.json"), toJson(spec)))
    return error;
  if (llvm::Error error = writeJsonFile(
          inside(outputFolder, "train_manifest.json"),
          manifest.take(samples, options, *old ? &**old : nullptr)))
    return error;
  return reports;
}
