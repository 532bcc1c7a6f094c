// Text tables and CSV cells.
#include "assay/support/Table.h"
#include "assay/support/Printable.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace assay {

std::string elideMiddle(llvm::StringRef text, int width) {
  if (width <= 0 || static_cast<int>(text.size()) <= width)
    return text.str();
  if (width <= 3)
    return text.take_front(width).str();
  int tail = (width - 2) / 2;
  return (llvm::Twine(text.take_front(width - 2 - tail)) + ".." +
          text.take_back(tail))
      .str();
}

std::string csvCell(llvm::StringRef text) {
  if (text.find_first_of(",\"\r\n") == llvm::StringRef::npos)
    return text.str();
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

void Table::addRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = elideMiddle(printable(cells[i]), columns_[i].maxWidth);
  rows_.push_back(std::move(cells));
}

void Table::print(llvm::raw_ostream &os) const {
  std::vector<size_t> width;
  for (size_t i = 0; i < columns_.size(); ++i) {
    width.push_back(columns_[i].title.size());
    for (const std::vector<std::string> &row : rows_)
      width[i] = std::max(width[i], row[i].size());
  }
  auto printRow = [&](auto cellAt) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      std::string cell = cellAt(i);
      std::string space(width[i] - cell.size(), ' ');
      line += columns_[i].align == Align::Right ? space + cell : cell + space;
      line += "  ";
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  };
  printRow([&](size_t i) { return columns_[i].title; });
  printRow([&](size_t i) { return std::string(width[i], '-'); });
  for (const std::vector<std::string> &row : rows_)
    printRow([&](size_t i) { return row[i]; });
}

} // namespace assay
