/// A model on disk: model_{tflops,latency,bandwidth}.lgbm[.gz],
/// feature_spec.json, train_manifest.json, cv_metrics_*.json,
/// feature_importances_*.json; and the uses that it allows.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/Samples.h"
#include "assay/select/Tree.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace assay::select {

/// The meaning of a target's numbers.
struct TargetSpec {
  bool logTransform = true; ///< the model predicts log1p of the value in `unit`
  bool squareRoot = false;  ///< the model predicts the square root (efficiency)
  double unit = 1;          ///< the value is multiplied by this before log1p
  std::string offset; ///< a feature that is added to the prediction (before
                      ///< expm1); empty: none
};

/// feature_spec.json: the features of a model.
struct FeatureSpec {
  Subject subject;
  /// Whether CK Tile publishes the folder. Its targets are then a list, in
  /// TFLOPS, milliseconds and GB/s, with or without logarithm; its features are
  /// some of ours in another order.
  bool published = false;
  std::optional<CkHardware> hardware; ///< of CK Tile's kernels
  std::string layout;                   ///< of the kernels; "" when there are
                                        ///< several
  std::string schemaHash, registryHash;
  std::vector<std::string> names, categorical;
  std::vector<int64_t> threads; ///< the numbers of threads in training
  std::map<Target, TargetSpec> targets;
};

struct Model {
  std::string folder;
  FeatureSpec spec;
  std::map<Target, TreeModel> trees;
  llvm::json::Object manifest;
  /// For each feature of the model its number among those of this build, -1
  /// where this build lacks it; empty: both lists are the same.
  std::vector<int32_t> columns;

  /// The target that ranks kernels: efficiency when the model has it, else tflops;
  /// nullopt when it has neither.
  std::optional<Target> rankingTarget() const;
  /// The predicted value of a target (TFLOPS, ms, GB/s) for a row of this
  /// build's features; at least 0.
  double predict(Target target, llvm::ArrayRef<double> row) const;
  double predict(Target target, llvm::ArrayRef<float> row) const;
  /// The number by which kernels of one problem are ranked: the prediction
  /// before expm1.
  double score(Target target, llvm::ArrayRef<double> row) const;
  double score(Target target, llvm::ArrayRef<float> row) const;
};

/// The value of a target, from the model's sum and the row's offset.
double toValue(const TargetSpec &spec, double sum, double offset);

/// Reads a folder and checks that it is complete: every named target has its
/// file (in a published folder, at least one has), and the features of the file
/// are those of the spec or the numbered ones of LightGBM (Column_0, ...).
/// `rankingOnly` reads only the trees that rank kernels, which are all that
/// dispatch needs.
/// Errors: NotFound (no folder or feature_spec.json), DataLoss, InvalidArgument
llvm::Expected<Model> loadModel(llvm::StringRef folder,
                                bool rankingOnly = false);
/// The two halves of loadModel: the description of the model (spec and
/// manifest), and the trees, which take a hundred times as long.
llvm::Expected<Model> loadDescription(llvm::StringRef folder);
llvm::Error loadTrees(Model &model, bool rankingOnly = false);

/// Refuses a model that was made for features other than those of this build.
llvm::Error checkSchema(const Model &model);
/// Why a model may be wrong on this machine: it was made on another machine
/// class (as kernels of its types see it, classFor) or for another list of
/// kernels; empty if neither holds. Such a model ranks kernels as well as it
/// can; SelfCheck.h measures whether it helps.
std::string foreignness(const Model &model, const kernels::Registry &registry);
/// The hash of this machine's list of the kernels that the model is for;
/// nullopt: the model is for kernels other than ours.
std::optional<std::string> listHashFor(const Model &model,
                                       const kernels::Registry &registry);
/// Refuses data for an operation, type or GPU other than the model's. For
/// another processor see otherMachine().
llvm::Error checkSubject(const Model &model, const Samples &samples);
/// "the model 'FOLDER' is of another machine: ..., the data is of ..."; empty
/// if the machines agree. The model's features describe the machine, so that it
/// ranks as well as it can.
std::string otherMachine(const Model &model, const Samples &samples);

llvm::json::Object toJson(const FeatureSpec &spec);
llvm::Error writeJsonFile(llvm::StringRef path, llvm::json::Value value);
/// Errors: NotFound, DataLoss (not a JSON object)
llvm::Expected<llvm::json::Object> readJsonFile(llvm::StringRef path);

} // namespace assay::select
