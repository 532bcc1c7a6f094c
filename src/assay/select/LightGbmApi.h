/// LightGBM through its C interface, loaded when a command needs it (training,
/// comparison). The library is that of the Python package `lightgbm`; its
/// functions are declared here because the package has no header.
#pragma once

#include "assay/select/Tree.h"
#include "assay/support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace assay::select {

/// The loaded library. Threads: LightGBM's own rules; training uses OpenMP.
class LightGbm {
public:
  /// Tries, in this order: the environment variable ASSAY_LIGHTGBM, the Python
  /// environment that the build found, .venv above the program, the system's
  /// library path. Errors: NotFound with the places that were tried and how to
  /// install the package
  static llvm::Expected<std::shared_ptr<LightGbm>> load();
  ~LightGbm();

  /// A table of rows in row-major order with its labels; freed with the last
  /// reference.
  class Dataset;
  class Booster;

  struct Table {
    llvm::ArrayRef<float> rows; ///< [count][features]
    int64_t features = 0;
    llvm::ArrayRef<float> labels;  ///< [count]
    llvm::ArrayRef<float> weights; ///< [count] or empty
    llvm::ArrayRef<double>
        initScores; ///< [count] or empty: the value at which the model's sum
                    ///< starts
    llvm::ArrayRef<std::string> featureNames;
  };

  /// `reference`: bins are taken from that dataset (for validation data).
  llvm::Expected<std::shared_ptr<Dataset>>
  makeDataset(const Table &table, llvm::StringRef parameters,
              const Dataset *reference = nullptr);
  llvm::Expected<std::shared_ptr<Booster>>
  makeBooster(std::shared_ptr<Dataset> training, llvm::StringRef parameters);
  llvm::Expected<std::shared_ptr<Booster>> fromText(llvm::StringRef model);
  const std::string &path() const { return path_; }

private:
  LightGbm() = default;
  struct Functions;
  llvm::Error failure(llvm::StringRef what) const;
  std::unique_ptr<Functions> functions_;
  void *library_ = nullptr;
  std::string path_;
};

class LightGbm::Dataset {
public:
  ~Dataset();

private:
  friend class LightGbm;
  friend class Booster;
  LightGbm *library_ = nullptr;
  void *handle_ = nullptr;
};

class LightGbm::Booster {
public:
  ~Booster();
  llvm::Error addValidation(std::shared_ptr<Dataset> data);
  /// Adds a tree; true when no split was left to make.
  llvm::Expected<bool> update();
  /// The first metric of dataset `index` (0 training, 1 the first validation
  /// set).
  llvm::Expected<double> evaluation(int index) const;
  /// The first `trees` trees as text (all when negative).
  llvm::Expected<std::string> text(int trees = -1) const;
  /// Predicts `count` rows in one call.
  llvm::Error predict(const double *rows, int64_t count, int64_t features,
                      double *out, int threads) const;
  /// Predicts one row per call, as CK Tile's dispatcher does.
  llvm::Error predictRow(const double *row, int64_t features,
                         double *out) const;
  /// Predicts one row per call, with everything constant prepared once
  /// (LightGBM's SingleRowFast).
  class FastRow;
  llvm::Expected<std::unique_ptr<FastRow>> fastRow(int64_t features) const;

private:
  friend class LightGbm;
  LightGbm *library_ = nullptr;
  void *handle_ = nullptr;
  std::vector<std::shared_ptr<Dataset>> data_;
};

class LightGbm::Booster::FastRow {
public:
  ~FastRow();
  llvm::Error predict(const double *row, double *out) const;

private:
  friend class Booster;
  LightGbm *library_ = nullptr;
  void *handle_ = nullptr;
};

} // namespace assay::select
