/// A text table that fits a terminal: columns as wide as their content, numbers
/// aligned to the right, long names cut in the middle.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace assay {

class Table {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Left;
    int maxWidth = 0; ///< 0: never cut
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell per column; missing cells are empty.
  void addRow(std::vector<std::string> cells);
  size_t rows() const { return rows_.size(); }
  /// Prints titles, a rule and the rows, with two spaces between columns.
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Cuts the middle of a text to `width` characters: "blocks.0.mlp…output.0".
std::string elideMiddle(llvm::StringRef text, int width);

/// RFC 4180 quoting of one CSV cell.
std::string csvCell(llvm::StringRef text);

} // namespace assay
