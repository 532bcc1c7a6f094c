/// `assay diff`: the results of the same generated operator tests on two
/// devices, each against the CPU.
#pragma once

#include "assay/trace/Csv.h"
#include "llvm/Support/JSON.h"

#include <array>

namespace assay::trace {

/// Thresholds 1e-1 to 1e-10.
inline constexpr int kDiffDecades = 10;

struct DiffSide {
  bool present = false;
  bool passed = false; ///< the test's own verdict, column is_pass
  std::string isPass, max;
  double maxError = 0;
  std::array<int64_t, kDiffDecades>
      decades{}; ///< elements whose error against the CPU exceeds 1e-n
};

struct DiffRow {
  std::string name, opName, dtype, shape, minValue, maxValue;
  DiffSide target, bench;
  std::string verdict; ///< "pass", "Fail", "Unmatched"
  std::string reason;
};

struct DiffResult {
  std::string targetLabel, benchLabel; ///< file names without .csv, or target
                                       ///< and bench when they are equal
  std::vector<DiffRow> rows;
  int64_t passed = 0, failed = 0, unmatched = 0;
};

/// Joins by `name`, in the target's order. A row fails when the target's test
/// failed and the bench's did not, or when the target's error is
/// disproportionate: its maximum is more than twice the bench's and at some
/// decade it has more elements than twice the bench's count and a thousandth of
/// the tensor (at least one) together. Errors:  those of reading, and
/// InvalidArgument when a column is missing
llvm::Expected<DiffResult> diffResults(llvm::StringRef targetPath,
                                       llvm::StringRef benchPath);

void printDiff(const DiffResult &result, llvm::raw_ostream &os);
/// Columns:
/// name,op_name,dtype,shape,min-val,max-val,is_pass,T_max,B_max,B_1e-1,T_1e-1,...,B_1e-10,T_1e-10,reason
void writeDiffCsv(const DiffResult &result, llvm::raw_ostream &os);
llvm::json::Value diffJson(const DiffResult &result);
std::string diffSummary(const DiffResult &result);

} // namespace assay::trace
