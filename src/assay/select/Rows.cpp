// The checks of a data set's rows. Features are arithmetic on whatever the
// columns hold: a fractional size, an unknown type or a made-up kernel would
// silently train a wrong model. Each is refused here, with the row's number in
// its own file.
#include "assay/select/Rows.h"
#include "assay/select/KernelSpace.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::select;

static std::string shortText(double value) {
  return llvm::formatv("{0}", llvm::format("%g", value)).str();
}

std::string Rows::place(size_t row) const {
  const ColumnTable::Origin *origin = nullptr;
  for (const ColumnTable::Origin &each : table_.origins)
    if (each.first <= static_cast<int64_t>(row))
      origin = &each;
  if (!origin)
    return ("row " + llvm::Twine(row) + " of the data set").str();
  return llvm::formatv("'{0}' row {1}", origin->file,
                       static_cast<int64_t>(row) - origin->first)
      .str();
}

llvm::Error select::need(const Rows &rows, llvm::ArrayRef<const char *> names,
                         bool text) {
  for (const char *name : names) {
    if (!rows.has(name))
      return makeError(ErrorCode::InvalidArgument,
                       "the data set has no column '{0}'; `assay tune collect` "
                       "and `assay tune convert` write all of them",
                       name);
    if (rows.isText(name) != text)
      return makeError(ErrorCode::InvalidArgument,
                       "the data set's column '{0}' is {1}, expected {2}", name,
                       text ? "numbers" : "text", text ? "text" : "numbers");
  }
  return llvm::Error::success();
}

llvm::Error select::needColumns(const Rows &rows) {
  if (llvm::Error error =
          need(rows, {"op_type", "dtype", "layout", "kernel_name"}, true))
    return error;
  return need(rows,
              {"measured_tflops", "latency_ms", "bandwidth_gb_s", "is_valid"},
              false);
}

llvm::Error select::wrongCell(const Rows &rows, size_t row,
                              llvm::StringRef column, const llvm::Twine &got,
                              llvm::StringRef expected) {
  return makeError(ErrorCode::InvalidArgument,
                   "{0} has {1} = {2}, expected {3}", rows.place(row), column,
                   got, expected);
}

std::string select::notSize(double value, double least) {
  constexpr double kLargest = std::numeric_limits<int32_t>::max();
  if (value >= least && value <= kLargest && value == std::floor(value))
    return "";
  return "a whole number from " + shortText(least) +
         (value > kLargest ? " to 2147483647" : "");
}

llvm::Error select::checkWhole(const Rows &rows, size_t row,
                               llvm::ArrayRef<const char *> columns,
                               double least) {
  for (const char *column : columns) {
    if (!rows.has(column))
      continue;
    if (rows.isText(column))
      return wrongCell(rows, row, column,
                   "'" + rows.text(column, row).take_front(40) + "'",
                   "a number");
    double value = rows.number(column, row, std::nan(""));
    if (std::string expected = notSize(value, least); !expected.empty())
      return wrongCell(rows, row, column, shortText(value), expected);
  }
  return llvm::Error::success();
}

llvm::Error select::checkRow(const Rows &rows, size_t row,
                             const KernelSpace &space) {
  llvm::Error error = space.checkProblem(rows, row);
  if (error || rows.integer("is_valid", row, 0) == 0)
    return error;
  for (const char *label :
       {"measured_tflops", "latency_ms", "bandwidth_gb_s"}) {
    double value = rows.number(label, row, std::nan(""));
    if (!std::isfinite(value) || value <= 0)
      return makeError(ErrorCode::InvalidArgument,
                       "{0} (kernel '{1}') is valid but has {2} = {3}, "
                       "expected a positive number",
                       rows.place(row), rows.text("kernel_name", row), label,
                       shortText(value));
  }
  return llvm::Error::success();
}
