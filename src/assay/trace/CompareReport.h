/// A comparison as table, CSV and JSON.
#pragma once

#include "assay/trace/Compare.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// Prints the two sides' files, the rule, the tolerances and the renames that
/// were found.
void printCompareHeader(const Comparison &comparison, llvm::raw_ostream &os);
/// The table; with `onlyBad` just failing and unmatched rows.
void printComparison(const Comparison &comparison, bool onlyBad,
                     llvm::raw_ostream &os);
/// "649 tensors compared: 640 pass, 9 Fail; 0 only in the target, 0 only in the
/// bench".
std::string compareSummary(const Comparison &comparison);
/// Columns: Index,Status,Module,Cosine,RMSE,IsClose (%),Max Err (t),GtNum,Min
/// Err,Rel L2,SNR (dB),ULP p50,ULP p99, ULP max,NaN/Inf,Argmax,Target
/// value,Bench value,Shape,Dtype,Rule,Match,Step,Rank,Bench module,Reason
void writeComparisonCsv(const Comparison &comparison, llvm::raw_ostream &os);
/// A number in JSON, which has no "nan", "inf", "-inf": those as text.
llvm::json::Value jsonNumber(double value);
llvm::json::Object comparisonJson(const Comparison &comparison);
/// The alignment as a map that leads to the same pairs.
NameMap mapOf(const Comparison &comparison);

/// The name of a row without the step: the target's, or the bench's when only
/// the bench has it.
std::string rowName(const Comparison &comparison, const ComparedRow &row);

} // namespace assay::trace
