/// A table of named columns, read from and written to Parquet. Plain data
/// without functions of the library, so that the Arrow adapter (a separate
/// module) needs nothing but this header.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::select {

enum class ColumnType : uint8_t { Float, Integer, Boolean, Text };

/// One column; the vector of its type has an entry per row. Missing numbers are
/// NaN (a column of integers with missing entries is read as Float), missing
/// text is empty.
struct Column {
  std::string name;
  ColumnType type = ColumnType::Float;
  std::vector<double> numbers;   ///< Float
  std::vector<int64_t> integers; ///< Integer; 0 or 1 for Boolean
  std::vector<std::string> texts;
};

struct ColumnTable {
  int64_t rows = 0;
  std::vector<Column> columns;
  std::map<std::string, std::string> metadata; ///< key-value pairs of the file
  /// Names the files that the rows were read from, each with its first row.
  struct Origin {
    std::string file;
    int64_t first = 0;
  };
  std::vector<Origin> origins;

  const Column *find(const std::string &name) const {
    for (const Column &column : columns)
      if (column.name == name)
        return &column;
    return nullptr;
  }
  Column &add(std::string name, ColumnType type) {
    columns.push_back({std::move(name), type, {}, {}, {}});
    return columns.back();
  }
};

/// Appends one value per row to named columns, which are created on first use.
/// Every row has the same columns in the same order.
class TableWriter {
public:
  explicit TableWriter(ColumnTable &table) : table_(table) {}
  void beginRow() {
    ++table_.rows;
    next_ = 0;
  }
  void text(const std::string &name, std::string value) {
    column(name, ColumnType::Text).texts.push_back(std::move(value));
  }
  void integer(const std::string &name, int64_t value) {
    column(name, ColumnType::Integer).integers.push_back(value);
  }
  void truth(const std::string &name, bool value) {
    column(name, ColumnType::Boolean).integers.push_back(value);
  }
  void number(const std::string &name, double value) {
    column(name, ColumnType::Float).numbers.push_back(value);
  }

private:
  Column &column(const std::string &name, ColumnType type) {
    if (next_ == table_.columns.size())
      table_.add(name, type);
    return table_.columns[next_++];
  }
  ColumnTable &table_;
  size_t next_ = 0;
};

} // namespace assay::select
