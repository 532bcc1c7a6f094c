/// A whole collection: many problems, a journal, a budget, and Parquet at the
/// end.
#pragma once

#include "assay/select/Collector.h"

namespace assay::select {

struct CollectOptions {
  kernels::TypePair types;
  kernels::Layout layout = kernels::Layout::RCR;
  std::vector<Shape> shapes;
  std::vector<int> threads = {1}; ///< every shape is measured for each of these
  std::string
      output; ///< Parquet file; an existing folder gets part-<run>.parquet
  RaceOptions race;
  std::string kernelsText =
      "all"; ///< as the user wrote it: part of the journal's header
  double budgetSeconds =
      0; ///< 0: no limit; a problem that was begun is finished
  bool resume = false;
};

struct CollectReport {
  std::string path;
  int64_t rows = 0, valid = 0, noisy = 0, failures = 0, problemsDone = 0,
          problemsLeft = 0, reused = 0;
  double seconds = 0, noiseFloor = 0;
  bool interrupted = false;
};

/// Progress after each problem: done, of, and the problem's own line.
using CollectProgress =
    std::function<void(int64_t done, int64_t of, llvm::StringRef line)>;

/// Problems are measured in random order (by seed), so that a budget that ends
/// early still covers all kinds. The journal lies beside the output as
/// <output>.journal until the Parquet file is written. Errors:   Mismatch when
/// a journal of other settings exists, or one exists without `resume`; those of
/// files
llvm::Expected<CollectReport> collect(kernels::Registry &registry,
                                      ThreadPool &pool,
                                      const CollectOptions &options,
                                      const Interrupt &interrupt,
                                      const CollectProgress &progress);

} // namespace assay::select
