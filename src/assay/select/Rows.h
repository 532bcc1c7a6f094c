/// Access to the columns of a data set by name and row, and what a row must say
/// before features are made of it.
#pragma once

#include "assay/select/ColumnTable.h"
#include "assay/support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace assay::select {

/// The operation of CK Tile's convolutions.
constexpr const char *kCkConvOp = "grouped_conv";

/// A data set by the names of its columns.
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
  /// "'data/a.parquet' row 3": the file's own row, counted from 0.
  std::string place(size_t row) const;
  const ColumnTable &table() const { return table_; }

private:
  const ColumnTable &table_;
  llvm::StringMap<const Column *> columns_;
};

/// The columns that rows of every operation have.
/// Errors: InvalidArgument (a missing one; numbers that are text, or the reverse)
llvm::Error needColumns(const Rows &rows);
/// The columns that say a problem and a kernel of the operation. Errors: as above
llvm::Error needColumnsOf(const Rows &rows, llvm::StringRef op);
/// A row that an operation's features can be made of: whole sizes within their
/// range, a type, a layout and a kernel name that are some; where it is valid,
/// a finite positive time and rates.
/// Errors: InvalidArgument naming file, row, column and value
llvm::Error checkRow(const Rows &rows, size_t row, llvm::StringRef op);

} // namespace assay::select
