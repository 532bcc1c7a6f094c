// LightGBM's C interface behind a few classes. The library comes from the
// Python package and is found at run time. Each entry point is looked up by
// name, so that a library without one is refused at once, with that name.
// Source: the function list and the data type numbers of LightGBM's documented
// C interface.
#include "assay/select/LightGbmApi.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace assay;
using namespace assay::select;

static constexpr int kFloat32 = 0, kFloat64 = 1;
static constexpr int kPredictNormal = 0;

struct LightGbm::Functions {
  const char *(*LGBM_GetLastError)();
  int (*LGBM_DatasetCreateFromMat)(const void *, int, int32_t, int32_t, int,
                                   const char *, const void *, void **);
  int (*LGBM_DatasetSetField)(void *, const char *, const void *, int, int);
  int (*LGBM_DatasetSetFeatureNames)(void *, const char **, int);
  int (*LGBM_DatasetFree)(void *);
  int (*LGBM_BoosterCreate)(const void *, const char *, void **);
  int (*LGBM_BoosterLoadModelFromString)(const char *, int *, void **);
  int (*LGBM_BoosterFree)(void *);
  int (*LGBM_BoosterAddValidData)(void *, const void *);
  int (*LGBM_BoosterUpdateOneIter)(void *, int *);
  int (*LGBM_BoosterGetEval)(void *, int, int *, double *);
  int (*LGBM_BoosterGetEvalCounts)(void *, int *);
  int (*LGBM_BoosterSaveModelToString)(void *, int, int, int, int64_t,
                                       int64_t *, char *);
  int (*LGBM_BoosterPredictForMat)(void *, const void *, int, int32_t, int32_t,
                                   int, int, int, int, const char *, int64_t *,
                                   double *);
  int (*LGBM_BoosterPredictForMatSingleRow)(void *, const void *, int, int, int,
                                            int, int, int, const char *,
                                            int64_t *, double *);
  int (*LGBM_BoosterPredictForMatSingleRowFastInit)(void *, int, int, int, int,
                                                    int32_t, const char *,
                                                    void **);
  int (*LGBM_BoosterPredictForMatSingleRowFast)(void *, const void *, int64_t *,
                                                double *);
  int (*LGBM_FastConfigFree)(void *);
};

/// Where the library may be, best first.
static std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  if (const char *path = std::getenv("ASSAY_LIGHTGBM"))
    return {path};
  static constexpr const char *kInside = "lightgbm/lib/lib_lightgbm.so";
#ifdef ASSAY_WHEELS
  paths.push_back(std::string(ASSAY_WHEELS) + "/" + kInside);
#endif
  llvm::SmallString<256> folder(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  for (int up = 0; up < 4 && llvm::sys::path::has_parent_path(folder); ++up) {
    llvm::sys::path::remove_filename(folder);
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder + "/.venv/lib", code), end;
         it != end && !code; it.increment(code))
      paths.push_back(it->path() + "/site-packages/" + kInside);
  }
  paths.push_back("lib_lightgbm.so");
  return paths;
}

llvm::Expected<std::shared_ptr<LightGbm>> LightGbm::load() {
  std::shared_ptr<LightGbm> api(new LightGbm);
  std::string tried;
  for (const std::string &path : candidates()) {
    api->library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    api->path_ = path;
    if (api->library_)
      break;
    tried += "\n  " + std::string(dlerror());
  }
  if (!api->library_)
    return makeError(ErrorCode::NotFound,
                     "LightGBM is not installed; `./dev setup` installs the "
                     "Python package lightgbm, or set "
                     "ASSAY_LIGHTGBM to lib_lightgbm.so; tried:{0}",
                     tried);
  api->functions_ = std::make_unique<Functions>();
  Functions &f = *api->functions_;
#define ASSAY_LOOKUP(name)                                                     \
  f.name = reinterpret_cast<decltype(f.name)>(dlsym(api->library_, #name));    \
  if (!f.name)                                                                 \
  return makeError(ErrorCode::Unsupported,                                     \
                   "'{0}' has no function {1}; LightGBM 4 is expected",        \
                   api->path_, #name)
  ASSAY_LOOKUP(LGBM_GetLastError);
  ASSAY_LOOKUP(LGBM_DatasetCreateFromMat);
  ASSAY_LOOKUP(LGBM_DatasetSetField);
  ASSAY_LOOKUP(LGBM_DatasetSetFeatureNames);
  ASSAY_LOOKUP(LGBM_DatasetFree);
  ASSAY_LOOKUP(LGBM_BoosterCreate);
  ASSAY_LOOKUP(LGBM_BoosterLoadModelFromString);
  ASSAY_LOOKUP(LGBM_BoosterFree);
  ASSAY_LOOKUP(LGBM_BoosterAddValidData);
  ASSAY_LOOKUP(LGBM_BoosterUpdateOneIter);
  ASSAY_LOOKUP(LGBM_BoosterGetEval);
  ASSAY_LOOKUP(LGBM_BoosterGetEvalCounts);
  ASSAY_LOOKUP(LGBM_BoosterSaveModelToString);
  ASSAY_LOOKUP(LGBM_BoosterPredictForMat);
  ASSAY_LOOKUP(LGBM_BoosterPredictForMatSingleRow);
  ASSAY_LOOKUP(LGBM_BoosterPredictForMatSingleRowFastInit);
  ASSAY_LOOKUP(LGBM_BoosterPredictForMatSingleRowFast);
  ASSAY_LOOKUP(LGBM_FastConfigFree);
#undef ASSAY_LOOKUP
  return api;
}

// The library stays loaded: its OpenMP threads may outlive the last model.
LightGbm::~LightGbm() = default;

llvm::Error LightGbm::failure(llvm::StringRef what) const {
  return makeError(ErrorCode::InvalidArgument, "LightGBM cannot {0}: {1}", what,
                   functions_->LGBM_GetLastError());
}

llvm::Expected<std::shared_ptr<LightGbm::Dataset>>
LightGbm::makeDataset(const Table &table, llvm::StringRef parameters,
                      const Dataset *reference) {
  auto data = std::make_shared<Dataset>();
  data->library_ = this;
  auto count = static_cast<int32_t>(table.labels.size());
  auto set = [&](const char *field, const void *values, int type) {
    return functions_->LGBM_DatasetSetField(data->handle_, field, values, count,
                                            type);
  };
  if (functions_->LGBM_DatasetCreateFromMat(
          table.rows.data(), kFloat32, count,
          static_cast<int32_t>(table.features), 1, parameters.str().c_str(),
          reference ? reference->handle_ : nullptr, &data->handle_))
    return failure("make a dataset");
  if (set("label", table.labels.data(), kFloat32) ||
      (!table.weights.empty() &&
       set("weight", table.weights.data(), kFloat32)) ||
      (!table.initScores.empty() &&
       set("init_score", table.initScores.data(), kFloat64)))
    return failure("set labels, weights or starting scores");
  std::vector<const char *> names;
  for (const std::string &name : table.featureNames)
    names.push_back(name.c_str());
  if (functions_->LGBM_DatasetSetFeatureNames(data->handle_, names.data(),
                                              static_cast<int>(names.size())))
    return failure("name the features");
  return data;
}

LightGbm::Dataset::~Dataset() {
  if (handle_)
    library_->functions_->LGBM_DatasetFree(handle_);
}

llvm::Expected<std::shared_ptr<LightGbm::Booster>>
LightGbm::makeBooster(std::shared_ptr<Dataset> training,
                      llvm::StringRef parameters) {
  auto booster = std::make_shared<Booster>();
  booster->library_ = this;
  if (functions_->LGBM_BoosterCreate(
          training->handle_, parameters.str().c_str(), &booster->handle_))
    return failure("start training");
  booster->data_.push_back(std::move(training));
  return booster;
}

llvm::Expected<std::shared_ptr<LightGbm::Booster>>
LightGbm::fromText(llvm::StringRef model) {
  auto booster = std::make_shared<Booster>();
  booster->library_ = this;
  int iterations = 0;
  if (functions_->LGBM_BoosterLoadModelFromString(
          model.str().c_str(), &iterations, &booster->handle_))
    return failure("read the model");
  return booster;
}

LightGbm::Booster::~Booster() {
  if (handle_)
    library_->functions_->LGBM_BoosterFree(handle_);
}

llvm::Error LightGbm::Booster::addValidation(std::shared_ptr<Dataset> data) {
  if (library_->functions_->LGBM_BoosterAddValidData(handle_, data->handle_))
    return library_->failure("add validation data");
  data_.push_back(std::move(data));
  return llvm::Error::success();
}

llvm::Expected<bool> LightGbm::Booster::update() {
  int finished = 0;
  if (library_->functions_->LGBM_BoosterUpdateOneIter(handle_, &finished))
    return library_->failure("train a tree");
  return finished != 0;
}

llvm::Expected<double> LightGbm::Booster::evaluation(int index) const {
  int count = 0;
  if (library_->functions_->LGBM_BoosterGetEvalCounts(handle_, &count) ||
      count < 1)
    return library_->failure("evaluate: the parameters name no metric");
  std::vector<double> results(count);
  if (library_->functions_->LGBM_BoosterGetEval(handle_, index, &count,
                                                results.data()))
    return library_->failure("evaluate");
  return results[0];
}

llvm::Expected<std::string> LightGbm::Booster::text(int trees) const {
  int64_t size = 0;
  auto save = [&](int64_t capacity, char *out) {
    return library_->functions_->LGBM_BoosterSaveModelToString(
        handle_, 0, trees, 0, capacity, &size, out);
  };
  if (save(0, nullptr))
    return library_->failure("print the model");
  std::string text(size, '\0');
  if (save(size, text.data()))
    return library_->failure("print the model");
  text.resize(size > 0 ? size - 1 : 0); // the size counts the closing zero
  return text;
}

llvm::Error LightGbm::Booster::predict(const double *rows, int64_t count,
                                       int64_t features, double *out,
                                       int threads) const {
  int64_t length = 0;
  std::string parameters = "num_threads=" + std::to_string(threads);
  if (library_->functions_->LGBM_BoosterPredictForMat(
          handle_, rows, kFloat64, static_cast<int32_t>(count),
          static_cast<int32_t>(features), 1, kPredictNormal, 0, -1,
          parameters.c_str(), &length, out))
    return library_->failure("predict");
  return llvm::Error::success();
}

llvm::Error LightGbm::Booster::predictRow(const double *row, int64_t features,
                                          double *out) const {
  int64_t length = 0;
  if (library_->functions_->LGBM_BoosterPredictForMatSingleRow(
          handle_, row, kFloat64, static_cast<int>(features), 1, kPredictNormal,
          0, -1, "num_threads=1", &length, out))
    return library_->failure("predict");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<LightGbm::Booster::FastRow>>
LightGbm::Booster::fastRow(int64_t features) const {
  auto fast = std::make_unique<FastRow>();
  fast->library_ = library_;
  if (library_->functions_->LGBM_BoosterPredictForMatSingleRowFastInit(
          handle_, kPredictNormal, 0, -1, kFloat64,
          static_cast<int32_t>(features), "num_threads=1", &fast->handle_))
    return library_->failure("prepare the prediction of single rows");
  return fast;
}

LightGbm::Booster::FastRow::~FastRow() {
  if (handle_)
    library_->functions_->LGBM_FastConfigFree(handle_);
}

llvm::Error LightGbm::Booster::FastRow::predict(const double *row,
                                                double *out) const {
  int64_t length = 0;
  if (library_->functions_->LGBM_BoosterPredictForMatSingleRowFast(
          handle_, row, &length, out))
    return library_->failure("predict");
  return llvm::Error::success();
}
