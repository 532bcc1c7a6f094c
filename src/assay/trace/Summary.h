/// `assay summary`: one row of statistics per tensor of a dump, as table, CSV
/// or JSON.
#pragma once

#include "assay/support/ThreadPool.h"
#include "assay/trace/NotFinite.h"
#include "assay/trace/Statistics.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

struct SummaryRow {
  int64_t index = 0, step = 0, rank = 0;
  std::string name; ///< without the step
  tensor::TensorType type;
  TensorFigures figures;
  std::string problem; ///< why there are no statistics; empty otherwise
};

/// All datasets of the file in their order; hard links to one tensor are
/// computed once. Errors:  those of Hdf5Reader::open; a dataset that cannot be
/// read becomes a row with a problem
llvm::Expected<std::vector<SummaryRow>>
summarize(const formats::Hdf5Reader &file, ThreadPool &pool);

/// The first NaN of the tensors of one or more ranks; the first Inf in an
/// output, a gradient or a parameter if there is no NaN, or the NaN came from
/// it.
struct FirstNotFinite {
  std::optional<RankOrigin> nan, inf;
};
FirstNotFinite firstNotFinite(llvm::ArrayRef<SummaryRow> rows);
/// Prints a line for each; nothing where all values are finite.
void printNotFinite(const FirstNotFinite &found, llvm::raw_ostream &os);

void printSummary(llvm::ArrayRef<SummaryRow> rows, llvm::raw_ostream &os);
/// Columns:
/// Index,Step,Rank,Module,Min,Max,Mean,Std,Shape,Dtype,NaN,Inf,Zero,Subnormal,Norm,P1,P5,P50,P95,P99,Hash
void writeSummaryCsv(llvm::ArrayRef<SummaryRow> rows, llvm::raw_ostream &os);
/// Adds "first_nan" and "first_inf" if there are any.
llvm::json::Object summaryJson(llvm::ArrayRef<SummaryRow> rows);

/// FILE_summary.csv beside FILE.h5, whose datasets the caller has.
llvm::Error writeSummaryBeside(llvm::StringRef path,
                               std::vector<formats::Hdf5Dataset> datasets);

} // namespace assay::trace
