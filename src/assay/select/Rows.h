/// Access to the columns of a data set by name and row, and the checks of a row
/// before features are made from it.
#pragma once

#include "assay/select/ColumnTable.h"
#include "assay/support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace assay::select {

/// A data set, accessed by the names of its columns.
class Rows {
public:
  explicit Rows(const ColumnTable &table) : table_(table) {
    for (const Column &column : table.columns)
      columns_[column.name] = &column;
  }
  bool has(llvm::StringRef name) const { return columns_.count(name); }
  bool isText(llvm::StringRef name) const {
    const Column *column = columns_.lookup(name);
    return column && column->type == ColumnType::Text;
  }
  double number(llvm::StringRef name, size_t row, double fallback) const {
    const Column *column = columns_.lookup(name);
    if (!column || column->type == ColumnType::Text)
      return fallback;
    double value = column->type == ColumnType::Float
                       ? column->numbers[row]
                       : static_cast<double>(column->integers[row]);
    return std::isnan(value) ? fallback : value;
  }
  int64_t integer(llvm::StringRef name, size_t row, int64_t fallback) const {
    double value = number(name, row, static_cast<double>(fallback));
    return std::fabs(value) < 9e18 ? static_cast<int64_t>(value) : fallback;
  }
  llvm::StringRef text(llvm::StringRef name, size_t row) const {
    const Column *column = columns_.lookup(name);
    return column && column->type == ColumnType::Text
               ? llvm::StringRef(column->texts[row])
               : "";
  }
  /// "'data/a.parquet' row 3": the number in that file, counted from 0.
  std::string place(size_t row) const;
  const ColumnTable &table() const { return table_; }

private:
  const ColumnTable &table_;
  llvm::StringMap<const Column *> columns_;
};

/// Checks that these columns exist, with text or with numbers.
/// Errors: InvalidArgument (a missing one; numbers where text is expected, or
/// the reverse)
llvm::Error need(const Rows &rows, llvm::ArrayRef<const char *> names,
                 bool text);
/// Checks the columns that rows of every space have. Errors: as above
llvm::Error needColumns(const Rows &rows);

class KernelSpace;
/// Checks that features of a space can be made from a row:
/// KernelSpace::checkProblem(), and, if the row is valid, that its time and
/// rates are finite and positive.
/// Errors: InvalidArgument naming file, row, column and value
llvm::Error checkRow(const Rows &rows, size_t row, const KernelSpace &space);

/// The error of such a check for a cell.
llvm::Error wrongCell(const Rows &rows, size_t row, llvm::StringRef column,
                      const llvm::Twine &got, llvm::StringRef expected);
/// Describes the expected value if a cell is not a size: "a whole number from
/// 1". Empty for a whole number from `least` to 2147483647.
std::string notSize(double value, double least);
/// Checks for such numbers in these columns; missing columns are ignored.
llvm::Error checkWhole(const Rows &rows, size_t row,
                       llvm::ArrayRef<const char *> columns, double least = 1);

} // namespace assay::select
