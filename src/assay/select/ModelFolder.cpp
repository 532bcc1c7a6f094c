// Reads and writes model folders, and makes the checks that keep a wrong model
// from being used: schema (names, order, formulas of the features), machine
// class, list of kernels, operation and type. A model that fails one is refused
// with the two values that differ; selection then continues without it.
#include "assay/select/ModelFolder.h"
#include "assay/select/Collector.h"
#include "assay/select/LightGbmText.h"
#include "assay/support/Json.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace assay;
using namespace assay::select;

double select::toValue(const TargetSpec &spec, double sum, double offset) {
  double value = sum + offset;
  if (spec.squareRoot)
    return value > 0 ? value * value : 0;
  if (spec.logTransform)
    value = std::expm1(value);
  return value > 0 ? value / spec.unit : 0;
}

static double offsetOf(const Model &model, const TargetSpec &spec,
                       llvm::ArrayRef<double> row) {
  if (spec.offset.empty())
    return 0;
  for (size_t f = 0; f < model.spec.names.size(); ++f)
    if (model.spec.names[f] == spec.offset)
      return row[f];
  return 0;
}

std::optional<Target> Model::rankingTarget() const {
  for (Target target : {Target::Efficiency, Target::Tflops})
    if (trees.count(target))
      return target;
  return std::nullopt;
}

static std::vector<double> widen(llvm::ArrayRef<float> row) {
  return std::vector<double>(row.begin(), row.end());
}

double Model::score(Target target, llvm::ArrayRef<float> row) const {
  return score(target, widen(row));
}

double Model::predict(Target target, llvm::ArrayRef<float> row) const {
  return predict(target, widen(row));
}

double Model::score(Target target, llvm::ArrayRef<double> row) const {
  if (columns.empty())
    return trees.at(target).predict(row);
  std::vector<double> own;
  for (int32_t column : columns)
    own.push_back(row[column]);
  return trees.at(target).predict(own);
}

double Model::predict(Target target, llvm::ArrayRef<double> row) const {
  const TargetSpec &targetSpec = spec.targets.at(target);
  return toValue(targetSpec, score(target, row),
                 offsetOf(*this, targetSpec, row));
}

// ---- JSON

llvm::Expected<llvm::json::Object> select::readJsonFile(llvm::StringRef path) {
  llvm::Expected<std::string> text = readMaybeGzip(path);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> value = parseJson(*text);
  if (!value)
    return makeError(ErrorCode::DataLoss, "'{0}' is not whole JSON: {1}", path,
                     llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeError(ErrorCode::DataLoss, "'{0}' holds no JSON object", path);
  return std::move(*object);
}

llvm::Error select::writeJsonFile(llvm::StringRef path,
                                  llvm::json::Value value) {
  return writeFileAtomically(path, llvm::formatv("{0:2}\n", value).str());
}

static llvm::json::Object toJson(CkHardware hardware) {
  llvm::json::Object object;
  for (auto [name, field] : hardware.fields())
    object[name] = *field;
  return object;
}

llvm::json::Object select::toJson(const FeatureSpec &spec) {
  llvm::json::Object targets;
  llvm::json::Array logs;
  for (const auto &[target, details] : spec.targets) {
    targets[toString(target)] =
        llvm::json::Object{{"log_transform", details.logTransform},
                           {"square_root", details.squareRoot},
                           {"unit", details.unit},
                           {"offset_feature", details.offset}};
    if (details.logTransform)
      logs.push_back(toString(target));
  }
  llvm::json::Object object{
      {"op_type", spec.subject.op},
      {"dtype", spec.subject.dtype},
      {"arch", spec.subject.arch},
      {"layout", spec.layout},
      {"feature_encoding_version", spec.schemaHash},
      {"feature_engine", spec.subject.op},
      {"registry", spec.registryHash},
      {"feature_names", llvm::json::Array(spec.names)},
      {"categorical_features", llvm::json::Array(spec.categorical)},
      {"threads", llvm::json::Array(spec.threads)},
      {"log_targets", std::move(logs)},
      {"targets", std::move(targets)}};
  if (!spec.subject.variant.empty())
    object["variant"] = spec.subject.variant;
  if (spec.hardware)
    object["hardware"] = ::toJson(*spec.hardware);
  return object;
}

static std::vector<std::string> stringsOf(const llvm::json::Object &object,
                                          llvm::StringRef key) {
  std::vector<std::string> out;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &value : *array)
      out.push_back(value.getAsString().value_or("").str());
  return out;
}

static llvm::Expected<TargetSpec> parseOwnTarget(llvm::StringRef name,
                                                 const llvm::json::Value &value,
                                                 const FeatureSpec &spec,
                                                 llvm::StringRef path) {
  const llvm::json::Object *details = value.getAsObject();
  if (!details)
    return makeError(ErrorCode::DataLoss,
                     "'{0}' does not say what the target '{1}' is", path, name);
  TargetSpec t;
  t.logTransform = details->getBoolean("log_transform").value_or(true);
  t.squareRoot = details->getBoolean("square_root").value_or(false);
  t.unit = details->getNumber("unit").value_or(1);
  t.offset = details->getString("offset_feature").value_or("").str();
  if (!(t.unit > 0) || !std::isfinite(t.unit))
    return makeError(
        ErrorCode::DataLoss,
        "'{0}' has a unit of {1} for {2}, expected a positive number", path,
        t.unit, name);
  if (!t.offset.empty() && llvm::find(spec.names, t.offset) == spec.names.end())
    return makeError(ErrorCode::DataLoss,
                     "'{0}' names the offset '{1}', which is not a feature", path,
                     t.offset);
  return t;
}

/// Parses the targets: an object with the meaning of each (ours), or a list of
/// names (published). A published folder without a list has the target tflops.
static llvm::Error parseTargetsOf(const llvm::json::Object &o,
                                  llvm::StringRef path, FeatureSpec &spec) {
  auto add = [&](llvm::StringRef name, auto make) -> llvm::Error {
    std::optional<Target> target = parseTarget(name);
    if (!target)
      return makeError(ErrorCode::DataLoss,
                       "'{0}' has the target '{1}', expected tflops, latency, "
                       "bandwidth or efficiency",
                       path, name);
    llvm::Expected<TargetSpec> details = make();
    if (!details)
      return details.takeError();
    spec.targets[*target] = std::move(*details);
    return llvm::Error::success();
  };
  if (const llvm::json::Object *targets = o.getObject("targets")) {
    for (const auto &[name, value] : *targets)
      if (llvm::Error error = add(
              name, [&] { return parseOwnTarget(name, value, spec, path); }))
        return error;
    return llvm::Error::success();
  }
  spec.published = true;
  std::vector<std::string> names = stringsOf(o, "targets"),
                           logs = stringsOf(o, "log_targets");
  for (const std::string &name :
       names.empty() ? std::vector<std::string>{"tflops"} : names)
    if (llvm::Error error = add(name, [&]() -> llvm::Expected<TargetSpec> {
          return TargetSpec{llvm::is_contained(logs, name), false, 1, ""};
        }))
      return error;
  return llvm::Error::success();
}

/// The GPU that a published model's features are for. A model that states none
/// has CK Tile's defaults, whatever its arch.
static std::optional<CkHardware> hardwareOf(const llvm::json::Object &o,
                                              bool published) {
  const llvm::json::Object *given = o.getObject("hardware");
  if (!given && !published)
    return std::nullopt;
  CkHardware hardware;
  if (given)
    for (auto [name, field] : hardware.fields())
      *field = given->getNumber(name).value_or(*field);
  return hardware;
}

static llvm::Expected<FeatureSpec> parseSpec(const llvm::json::Object &o,
                                             llvm::StringRef path) {
  FeatureSpec spec;
  auto text = [&](llvm::StringRef key) {
    return o.getString(key).value_or("").str();
  };
  spec.subject = {text("op_type"), text("dtype"), text("arch"),
                  plainDirection(text("variant"))};
  if (std::optional<kernels::TypePair> types =
          kernels::parseTypePair(spec.subject.dtype);
      types && findLocal(spec.subject.op))
    spec.subject.arch = classFor(spec.subject.arch, *types);
  spec.layout = text("layout");
  spec.schemaHash = text("feature_encoding_version");
  if (std::optional<int64_t> version = o.getInteger("feature_encoding_version"))
    spec.schemaHash = std::to_string(*version);
  spec.registryHash = text("registry");
  spec.names = stringsOf(o, "feature_names");
  spec.categorical = stringsOf(o, "categorical_features");
  if (const llvm::json::Array *threads = o.getArray("threads"))
    for (const llvm::json::Value &value : *threads)
      spec.threads.push_back(value.getAsInteger().value_or(0));
  for (auto [key, missing] : {std::pair("op_type", spec.subject.op.empty()),
                              {"dtype", spec.subject.dtype.empty()},
                              {"feature_names", spec.names.empty()}})
    if (missing)
      return makeError(ErrorCode::DataLoss, "'{0}' has no {1}", path, key);
  if (llvm::Error error = parseTargetsOf(o, path, spec))
    return error;
  if (spec.targets.empty())
    return makeError(ErrorCode::DataLoss, "'{0}' has no targets", path);
  spec.hardware = hardwareOf(o, spec.published);
  return spec;
}

/// The numbers, in this build, of the features of a model.
static std::vector<int32_t> columnsOf(const FeatureSpec &spec) {
  std::vector<std::string> mine = featureNames(featuresOf(spec.subject.op));
  std::vector<int32_t> columns;
  for (const std::string &name : spec.names) {
    auto found = llvm::find(mine, name);
    columns.push_back(
        found == mine.end() ? -1 : static_cast<int32_t>(found - mine.begin()));
  }
  return columns;
}

std::string select::inside(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Expected<Model> select::loadDescription(llvm::StringRef folder) {
  Model model;
  model.folder = folder.str();
  std::string specPath = inside(folder, "feature_spec.json");
  if (!llvm::sys::fs::exists(specPath))
    return makeError(ErrorCode::NotFound,
                     "'{0}' is not a model folder: it has no feature_spec.json; "
                     "`assay tune train` makes one",
                     folder);
  llvm::Expected<llvm::json::Object> specJson = readJsonFile(specPath);
  if (!specJson)
    return specJson.takeError();
  llvm::Expected<FeatureSpec> spec = parseSpec(*specJson, specPath);
  if (!spec)
    return spec.takeError();
  model.spec = std::move(*spec);
  if (model.spec.published)
    model.columns = columnsOf(model.spec);
  std::string manifestPath = inside(folder, "train_manifest.json");
  if (llvm::sys::fs::exists(manifestPath)) {
    llvm::Expected<llvm::json::Object> manifest = readJsonFile(manifestPath);
    if (!manifest)
      return manifest.takeError();
    model.manifest = std::move(*manifest);
  }
  return model;
}

llvm::Expected<Model> select::loadModel(llvm::StringRef folder,
                                        bool rankingOnly) {
  llvm::Expected<Model> model = loadDescription(folder);
  if (model)
    if (llvm::Error error = loadTrees(*model, rankingOnly))
      return error;
  return model;
}

/// Whether these are the names that LightGBM gives to the columns of an array.
static bool isNumbered(llvm::ArrayRef<std::string> names, size_t count) {
  if (names.size() != count)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (names[i] != "Column_" + std::to_string(i))
      return false;
  return true;
}

llvm::Error select::loadTrees(Model &model, bool rankingOnly) {
  const std::string &folder = model.folder;
  if (rankingOnly && model.spec.targets.count(Target::Efficiency))
    std::erase_if(model.spec.targets, [](const auto &entry) {
      return entry.first != Target::Efficiency;
    });
  for (const auto &[target, details] : model.spec.targets) {
    std::string path =
        inside(folder, llvm::Twine("model_") + toString(target) + ".lgbm.gz");
    if (!llvm::sys::fs::exists(path))
      path.resize(path.size() - 3);
    if (!llvm::sys::fs::exists(path) && model.spec.published)
      continue; // a published folder names all targets and holds some
    if (!llvm::sys::fs::exists(path))
      return makeError(ErrorCode::NotFound,
                       "'{0}' has neither model_{1}.lgbm nor model_{1}.lgbm.gz",
                       folder, toString(target));
    llvm::Expected<TreeModel> trees = readLightGbm(
        path, rankingOnly ? ModelDetail::Prediction : ModelDetail::All);
    if (!trees)
      return trees.takeError();
    if (trees->featureNames != model.spec.names &&
        !(model.spec.published &&
          isNumbered(trees->featureNames, model.spec.names.size())))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has {1} features that are not those of "
                       "feature_spec.json ({2}, in order)",
                       path, trees->featureNames.size(),
                       model.spec.names.size());
    model.trees[target] = std::move(*trees);
  }
  if (model.trees.empty())
    return makeError(
        ErrorCode::NotFound,
        "'{0}' has no model_tflops.lgbm[.gz], nor one of its other "
        "targets",
        folder);
  return llvm::Error::success();
}

// ---- checks

/// A published model has some of our features under CK Tile's names; the
/// version of its encoding determines their meaning.
static llvm::Error checkPublished(const Model &model) {
  for (size_t i = 0; i < model.columns.size(); ++i)
    if (model.columns[i] < 0)
      return makeError(ErrorCode::Unsupported,
                       "the model '{0}' has the feature '{1}', which this "
                       "build does not compute for {2}; `assay tune features "
                       "--op {2}` lists those it does",
                       model.folder, model.spec.names[i],
                       model.spec.subject.op);
  if (!model.spec.schemaHash.empty() && model.spec.schemaHash != "0")
    return makeError(
        ErrorCode::Unsupported,
        "the model '{0}' has encoding version {1} of its features, "
        "this build computes version 0",
        model.folder, model.spec.schemaHash);
  return llvm::Error::success();
}

llvm::Error select::checkSchema(const Model &model) {
  llvm::ArrayRef<FeatureInfo> features = featuresOf(model.spec.subject.op);
  if (features.empty())
    return makeError(ErrorCode::Unsupported,
                     "the model '{0}' is of op '{1}'; gemm, gemm_universal and "
                     "grouped_conv have features (`assay tune score` evaluates "
                     "any model on rows of features)",
                     model.folder, model.spec.subject.op);
  if (model.spec.published)
    return checkPublished(model);
  std::vector<std::string> names = featureNames(features);
  for (size_t i = 0; i < std::max(names.size(), model.spec.names.size()); ++i) {
    std::string mine = i < names.size() ? names[i] : "none",
                theirs =
                    i < model.spec.names.size() ? model.spec.names[i] : "none";
    if (mine != theirs)
      return makeError(ErrorCode::InvalidArgument,
                       "the model '{0}' is of another schema: its feature {1} "
                       "is '{2}', this build's is "
                       "'{3}'; retrain it",
                       model.folder, i, theirs, mine);
  }
  if (model.spec.schemaHash != schemaHash(features))
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of another schema: its features are "
                     "defined otherwise ({1}, this "
                     "build has {2}); retrain it",
                     model.folder, model.spec.schemaHash, schemaHash(features));
  return llvm::Error::success();
}

/// The space of the model's kernels if they are this machine's; null otherwise.
static const LocalSpace *localSpaceOf(const Model &model) {
  const FeatureSpec &spec = model.spec;
  const LocalSpace *space = findLocal(spec.subject.op);
  return space && space->has(spec.subject.dtype, spec.layout) ? space : nullptr;
}

std::optional<std::string>
select::listHashFor(const Model &model, const kernels::Registry &registry) {
  const LocalSpace *space = localSpaceOf(model);
  if (!space)
    return std::nullopt;
  return space->listHash(model.spec.subject.dtype, model.spec.layout, registry);
}

std::string select::foreignness(const Model &model,
                                const kernels::Registry &registry) {
  if (!localSpaceOf(model))
    return ""; // not for our kernels, on any machine
  auto types = *kernels::parseTypePair(model.spec.subject.dtype);
  std::string theirs = classFor(model.spec.subject.arch, types),
              mine = classFor(machineClass(registry.machine()), types);
  if (theirs != mine)
    return llvm::formatv("is of another machine: '{0}', this one is '{1}'",
                         theirs, mine)
        .str();
  std::optional<std::string> list = listHashFor(model, registry);
  if (model.spec.registryHash != list)
    return llvm::formatv("is of another list of kernels ({0}, this build has "
                         "{1})",
                         model.spec.registryHash, *list)
        .str();
  return "";
}

llvm::Error select::checkSubject(const Model &model, const Samples &samples) {
  const Subject &theirs = model.spec.subject, &ours = samples.subject;
  if (theirs.op != ours.op || theirs.dtype != ours.dtype ||
      (!findLocal(theirs.op) && theirs.arch != ours.arch))
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of op {1}, dtype {2}, machine {3}; "
                     "the data of op {4}, dtype {5}, machine {6}",
                     model.folder, model.spec.subject.op,
                     model.spec.subject.dtype, model.spec.subject.arch,
                     samples.subject.op, samples.subject.dtype,
                     samples.subject.arch);
  if (!theirs.variant.empty() && theirs.variant != ours.variant)
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of direction {1}, the data of {2}",
                     model.folder, theirs.variant, ours.variant);
  return llvm::Error::success();
}

std::string select::otherMachine(const Model &model, const Samples &samples) {
  if (model.spec.subject.arch == samples.subject.arch)
    return "";
  return llvm::formatv("the model '{0}' is of another machine: '{1}', the data "
                       "is of '{2}'",
                       model.folder, model.spec.subject.arch,
                       samples.subject.arch)
      .str();
}
