// Writes trained targets to a model folder: decides what may be continued,
// writes the folds and importances beside each model, and records the origin in
// the spec and the manifest.
#include "assay/select/LightGbmText.h"
#include "assay/select/Manifest.h"
#include "assay/select/Parquet.h"
#include "assay/select/TrainerDetail.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace assay;
using namespace assay::select;

static llvm::Error checkWarmStart(const Model &old, const Samples &samples,
                                  const FeatureSpec &spec) {
  if (llvm::Error error = checkSchema(old))
    return error;
  if (llvm::Error error = checkSubject(old, samples))
    return error;
  if (old.spec.categorical != spec.categorical)
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' has other categorical features; it "
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

/// The spec for these samples, without the targets.
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

/// The model to continue, if one is named, with the trees of those targets that
/// are trained.
static llvm::Expected<std::optional<Model>>
warmStartOf(const TrainOptions &options, const Samples &samples,
            const FeatureSpec &spec, const TrainLog &log) {
  if (options.warmStart.empty())
    return std::nullopt;
  llvm::Expected<Model> loaded = loadDescription(options.warmStart);
  if (!loaded)
    return loaded.takeError();
  if (llvm::Error error = checkWarmStart(*loaded, samples, spec))
    return error;
  std::map<Target, TargetSpec> all = loaded->spec.targets;
  std::erase_if(loaded->spec.targets, [&](const auto &entry) {
    return !llvm::is_contained(options.targets, entry.first);
  });
  if (llvm::Error error = loadTrees(*loaded))
    return error;
  loaded->spec.targets = std::move(all);
  if (std::string note = otherMachine(*loaded, samples); !note.empty())
    log("note: " + note + "; its features say so");
  return std::move(*loaded);
}

/// Copies a target of the continued model unchanged.
static llvm::Error keepTarget(const Model &old, Target target,
                              llvm::StringRef folder) {
  std::string name = toString(target);
  for (const std::string &file :
       {"model_" + name + ".lgbm.gz", "model_" + name + ".lgbm",
        "cv_metrics_" + name + ".json",
        "feature_importances_" + name + ".json"}) {
    std::string from = inside(old.folder, file);
    if (!llvm::sys::fs::exists(from))
      continue;
    if (std::error_code code =
            llvm::sys::fs::copy_file(from, inside(folder, file)))
      return makeError(ErrorCode::InvalidArgument, "cannot copy '{0}': {1}",
                       from, code.message());
  }
  return llvm::Error::success();
}

/// Adds what the new model inherits from the one that it continues: its numbers
/// of threads, and with keepsOthers its other targets.
static void inherit(const Model &old, const TrainOptions &options,
                    FeatureSpec &spec) {
  for (int64_t threads : old.spec.threads)
    if (!llvm::is_contained(spec.threads, threads))
      spec.threads.push_back(threads);
  llvm::sort(spec.threads);
  if (options.keepsOthers)
    spec.targets.insert(old.spec.targets.begin(), old.spec.targets.end());
}

namespace {
/// train_manifest.json: how each target of the model was made.
struct Manifest {
  void add(const TargetTrainer &trainer, const TargetReport &report,
           const TreeModel &model);
  /// Adds a target that is copied from the parent.
  void keep(const Model &parent, Target target);
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

void Manifest::keep(const Model &parent, Target target) {
  std::string name = toString(target);
  const std::pair<const char *, llvm::json::Object *> kFields[] = {
      {"parameters", &parameters},
      {"model_xxh3", &hashes},
      {"total_n_estimators", &previous},
      {"total_n_estimators", &totals}};
  for (auto [key, field] : kFields)
    if (const llvm::json::Object *theirs = parent.manifest.getObject(key))
      if (const llvm::json::Value *value = theirs->get(name))
        (*field)[name] = *value;
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

/// Copies the parent's targets that were not trained.
static llvm::Error keepOthers(const Model &old, const FeatureSpec &spec,
                              llvm::ArrayRef<Target> trained,
                              llvm::StringRef folder, Manifest &manifest) {
  for (const auto &[target, details] : spec.targets) {
    if (llvm::is_contained(trained, target))
      continue;
    if (llvm::Error error = keepTarget(old, target, folder))
      return error;
    manifest.keep(old, target);
  }
  return llvm::Error::success();
}

/// Trains one target, from its folds to its files in the folder.
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
      warmStartOf(options, samples, spec, log);
  if (!old)
    return old.takeError();
  if (*old)
    inherit(**old, options, spec);
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
  if (*old)
    if (llvm::Error error =
            keepOthers(**old, spec, options.targets, outputFolder, manifest))
      return error;
  if (llvm::Error error = writeJsonFile(
          inside(outputFolder, "feature_spec.json"), toJson(spec)))
    return error;
  if (llvm::Error error = writeJsonFile(
          inside(outputFolder, "train_manifest.json"),
          manifest.take(samples, options, *old ? &**old : nullptr)))
    return error;
  return reports;
}
