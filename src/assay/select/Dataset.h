/// Measurements of kernels: one row per problem and kernel, collected, stored
/// and used for training.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/select/ColumnTable.h"
#include "assay/select/Problem.h"
#include "assay/support/Error.h"

namespace assay::select {

/// One kernel on one problem. Only `ratio` is comparable; times are derived
/// from it and the time of the problem's anchor.
struct Measurement {
  ProblemRef problem;
  std::string kernel; ///< configuration name
  std::string anchor; ///< the kernel it was measured against, alternately
  double ratio = 0;   ///< median over pairs of time / time of the anchor
  double noise = 0;   ///< half of the 95 % interval of that median, relative
  double anchorNs = 0;
  int pairs = 0;
  int round = 0; ///< of successive halving; later rounds have more pairs
  bool noisy = false;
  bool valid = false;
  std::string reason; ///< why there is no time
  int32_t run = 0;    ///< index of the run, among those stored together
};

/// Where and with what a run was made; the same in every row of the run.
struct Provenance {
  std::string machine, machineClass, compiler, llvmVersion, assayVersion,
      registryHash, runId, timestamp;
  uint64_t seed = 0;
  static Provenance here(const kernels::Machine &machine, uint64_t seed);
  friend bool operator==(const Provenance &, const Provenance &) = default;
};

/// Problem::key(): "f32 rcr 128x4096x4096 b1 t2", "conv_fwd f32 nhwc
/// mb2ic64ih56oc64oh56kh3ph1 t1".
inline std::string problemKey(const Measurement &row) {
  return row.problem->key();
}

/// Rows as the data set's columns (docs/tune.md lists them). The row of a
/// kernel's later round replaces that of an earlier one. Times are derived from
/// the median of the anchor's times over the rows of the same problem. Row i
/// was made in runs[row.run].
ColumnTable toTable(llvm::ArrayRef<Measurement> rows,
                    llvm::ArrayRef<Provenance> runs, double noiseFloor);

/// Reads the table that toTable() wrote.
struct StoredRows {
  std::vector<Measurement> rows; ///< row i of the table
  std::vector<Provenance> runs;
};
/// Errors: DataLoss (a column is missing or of another type, or a text in it
/// does not parse)
llvm::Expected<StoredRows> fromTable(const ColumnTable &table);

} // namespace assay::select
