// Reading and writing model folders, and the checks that stand between a wrong
// model and its use: schema (names, order, formulas of the features), machine
// class, list of kernels, operation and type. A model that fails one is refused
// with the two values that differ; selection then goes on without it.
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
                       llvm::ArrayRef<float> row) {
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

double Model::score(Target target, llvm::ArrayRef<float> row) const {
  std::vector<double> wide(row.begin(), row.end());
  return trees.at(target).predict(wide);
}

double Model::predict(Target target, llvm::ArrayRef<float> row) const {
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
  return llvm::json::Object{
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
}

static std::vector<std::string> stringsOf(const llvm::json::Object &object,
                                          llvm::StringRef key) {
  std::vector<std::string> out;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &value : *array)
      out.push_back(value.getAsString().value_or("").str());
  return out;
}

static llvm::Expected<FeatureSpec> parseSpec(const llvm::json::Object &o,
                                             llvm::StringRef path) {
  FeatureSpec spec;
  auto text = [&](llvm::StringRef key) {
    return o.getString(key).value_or("").str();
  };
  spec.subject = {text("op_type"), text("dtype"), text("arch")};
  if (std::optional<kernels::TypePair> types =
          kernels::parseTypePair(spec.subject.dtype);
      types && spec.subject.op == "gemm")
    spec.subject.arch = classFor(spec.subject.arch, *types);
  spec.layout = text("layout");
  spec.schemaHash = text("feature_encoding_version");
  spec.registryHash = text("registry");
  spec.names = stringsOf(o, "feature_names");
  spec.categorical = stringsOf(o, "categorical_features");
  if (const llvm::json::Array *threads = o.getArray("threads"))
    for (const llvm::json::Value &value : *threads)
      spec.threads.push_back(value.getAsInteger().value_or(0));
  const llvm::json::Object *targets = o.getObject("targets");
  if (spec.subject.op.empty() || spec.subject.dtype.empty() ||
      spec.names.empty() || !targets || targets->empty())
    return makeError(ErrorCode::DataLoss,
                     "'{0}' has no op_type, dtype, feature_names or targets",
                     path);
  for (const auto &[name, value] : *targets) {
    std::optional<Target> target = parseTarget(llvm::StringRef(name));
    const llvm::json::Object *details = value.getAsObject();
    if (!target || !details)
      return makeError(ErrorCode::DataLoss,
                       "'{0}' has the target '{1}', expected tflops, latency, "
                       "bandwidth or efficiency",
                       path, llvm::StringRef(name));
    TargetSpec t;
    t.logTransform = details->getBoolean("log_transform").value_or(true);
    t.squareRoot = details->getBoolean("square_root").value_or(false);
    t.unit = details->getNumber("unit").value_or(1);
    t.offset = details->getString("offset_feature").value_or("").str();
    if (!(t.unit > 0) || !std::isfinite(t.unit))
      return makeError(
          ErrorCode::DataLoss,
          "'{0}' has a unit of {1} for {2}, expected a positive number", path,
          t.unit, llvm::StringRef(name));
    if (!t.offset.empty() &&
        llvm::find(spec.names, t.offset) == spec.names.end())
      return makeError(ErrorCode::DataLoss,
                       "'{0}' names the offset '{1}', which is no feature",
                       path, t.offset);
    spec.targets[*target] = t;
  }
  return spec;
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
                     "'{0}' is no model folder: it has no feature_spec.json; "
                     "`assay tune train` makes one",
                     folder);
  llvm::Expected<llvm::json::Object> specJson = readJsonFile(specPath);
  if (!specJson)
    return specJson.takeError();
  llvm::Expected<FeatureSpec> spec = parseSpec(*specJson, specPath);
  if (!spec)
    return spec.takeError();
  model.spec = std::move(*spec);
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
      return std::move(error);
  return model;
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
    if (!llvm::sys::fs::exists(path))
      return makeError(ErrorCode::NotFound,
                       "'{0}' has neither model_{1}.lgbm nor model_{1}.lgbm.gz",
                       folder, toString(target));
    llvm::Expected<TreeModel> trees = readLightGbm(
        path, rankingOnly ? ModelDetail::Prediction : ModelDetail::All);
    if (!trees)
      return trees.takeError();
    if (trees->featureNames != model.spec.names)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has {1} features that are not those of "
                       "feature_spec.json ({2}, in order)",
                       path, trees->featureNames.size(),
                       model.spec.names.size());
    model.trees[target] = std::move(*trees);
  }
  return llvm::Error::success();
}

// ---- checks

llvm::Error select::checkSchema(const Model &model) {
  llvm::ArrayRef<FeatureInfo> features = featuresOf(model.spec.subject.op);
  if (features.empty())
    return makeError(
        ErrorCode::Unsupported,
        "the model '{0}' is of op '{1}'; gemm and gemm_universal have features",
        model.folder, model.spec.subject.op);
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

std::string select::foreignness(const Model &model,
                                const kernels::Registry &registry) {
  auto types = kernels::parseTypePair(model.spec.subject.dtype);
  auto layout = kernels::parseLayout(model.spec.layout);
  if (!types || !layout)
    return ""; // of no kernels of ours: not a matter of the machine
  std::string theirs = classFor(model.spec.subject.arch, *types),
              mine = classFor(machineClass(registry.machine()), *types);
  if (theirs != mine)
    return llvm::formatv("is of another machine: '{0}', this one is '{1}'",
                         theirs, mine)
        .str();
  std::string here = registryHash(registry.enumerate(*types, *layout));
  if (model.spec.registryHash != here)
    return llvm::formatv("is of another list of kernels ({0}, this build has "
                         "{1})",
                         model.spec.registryHash, here)
        .str();
  return "";
}

llvm::Error select::checkSubject(const Model &model, const Samples &samples) {
  if (!(model.spec.subject == samples.subject))
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of op {1}, dtype {2}, machine {3}; "
                     "the data of op {4}, dtype {5}, machine {6}",
                     model.folder, model.spec.subject.op,
                     model.spec.subject.dtype, model.spec.subject.arch,
                     samples.subject.op, samples.subject.dtype,
                     samples.subject.arch);
  return llvm::Error::success();
}
