/// Feature tables, data sets of features, and predictions for the rows of a
/// file: the imports and exports around Assay's models.
#pragma once

#include "assay/select/Features.h"
#include "assay/select/CkGemm.h"
#include "assay/select/Trainer.h"
#include "assay/support/ExitCode.h"

namespace assay::select {

/// Unsupported, with the values of --op that have features.
llvm::Error noFeatures(llvm::StringRef op);
/// The table of docs/features.md. Errors: noFeatures()
llvm::Expected<std::string> featureTable(llvm::StringRef op);

/// Writes the features and labels of a data set as Parquet, for experiments
/// outside of Assay. Errors: those of reading and writing; InvalidArgument when
/// `output` holds measurements
llvm::Error exportFeatures(llvm::StringRef data, llvm::StringRef op,
                           llvm::StringRef dtype, llvm::StringRef output);

/// The features of one kernel on one problem, by name. `machineText`: a machine
/// class; empty: this machine. Errors: InvalidArgument
llvm::Expected<llvm::json::Object>
featureValues(const Problem &problem, llvm::StringRef kernel,
              llvm::StringRef machineText);

/// The predictions of a LightGBM text model for the rows of a CSV file without
/// a header; an empty cell or nan is a missing value.
/// Errors: those of reading; InvalidArgument with the line that is wrong
llvm::Expected<std::vector<double>> scoreCsv(const TreeModel &model,
                                             llvm::StringRef path);

struct ConvertFiles {
  std::string input, output;
  std::vector<std::string> mergeWith; ///< Parquet files whose rows are added
  bool captureHardware = false;       ///< writes the facts about this node's
                                      ///< GPU, from rocminfo
};
/// Converts a benchmark file of CK Tile to Parquet. Errors: those of reading,
/// of convertCk, of captureHardware and of writing; InvalidArgument when the
/// output holds measurements
llvm::Expected<ConvertReport> convertFile(const ConvertFiles &files,
                                          ConvertOptions options);

struct TrainReport {
  std::vector<TargetReport> targets;
  std::string folder;
  int64_t rows = 0, problems = 0; ///< rows that are valid

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};
/// Which rows to train on. An empty operation, type or direction means that of
/// the model that is continued, or else the only one in the data.
struct TrainRows {
  std::string folder, op, dtype, arch, direction;
};
/// train() on the rows of one operation and type of a data folder; the model is
/// for this machine's list of kernels. An empty `output` means a folder in
/// models whose name follows CK Tile's for its kernels
/// (models/gemm_universal_fp8_gfx950), or Assay's for its own
/// (models/gemm_f32_rcr). Errors: those of train(); InvalidArgument (the rows
/// are of another arch; an unknown direction)
llvm::Expected<TrainReport> trainFolder(const TrainRows &rows,
                                        const TrainOptions &options,
                                        const std::string &output,
                                        const TrainLog &log);

} // namespace assay::select
