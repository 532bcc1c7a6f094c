/// Ranks CK Tile's GPU kernels for a problem by a model, as its own Predictor
/// does, with the models that it publishes or that were trained here on
/// converted data. This machine need not be able to run the kernels.
#pragma once

#include "assay/select/CkConv.h"
#include "assay/select/Ranking.h"

namespace assay::select {

struct CkProblem {
  int64_t m = 0, n = 0, k = 0, splitK = 1;
  std::string layout = "rcr";
  std::string dtype; ///< empty: the model's
  /// The problem of a model of convolutions; replaces the sizes and the layout.
  std::optional<CkConv> conv;
  std::string
      direction; ///< of convolutions; empty: the model's, where it states one
};

struct CkRankingReport {
  CkProblem problem;
  std::vector<RankingReport::Row> rows; ///< best first; of equal ones, by name
  size_t candidates = 0; ///< kernels of the problem's type and layout
  size_t others = 0;     ///< kernels of other types, layouts or dimensions,
                         ///< left out

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};

/// Whether the folder holds a model of CK Tile's kernels. Errors: those of
/// loadDescription
llvm::Expected<bool> isCkModel(const std::string &modelDir);

/// The best `top` of the kernels that `candidates` names: a Parquet file or a
/// folder of them (column kernel_name), or a text file with one name per line.
/// Empty: the folder data beside the folder that holds the model, where CK Tile
/// keeps them. Errors: those of loadModel; NotFound (no such file, or no kernel
/// of the problem's type and layout in it), InvalidArgument (a name that does
/// not parse, a type other than the model's, convolutions of two directions, a
/// product for a model of convolutions or the reverse)
llvm::Expected<CkRankingReport> rankCkKernels(const std::string &modelDir,
                                              const CkProblem &problem,
                                              const std::string &candidates,
                                              size_t top);

/// The same for kernels that the caller has as rows of a data set, the input of
/// CK Tile's own Predictor. `configs` has kernel_name, the problem's columns
/// (m, n, k, or N, C, K, ...), and the kernels' columns (tile_m, block_size,
/// ...), which follow from the names where they are missing. Ranks all of them.
/// Errors: those of rankCkKernels and checkRow()
llvm::Expected<CkRankingReport> rankCkConfigs(const std::string &modelDir,
                                              const CkProblem &problem,
                                              const ColumnTable &configs);

} // namespace assay::select
