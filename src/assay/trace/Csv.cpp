// Reading CSV. Short rows are filled with empty cells; blank lines are skipped.
#include "assay/trace/Csv.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/tensor/MappedFile.h"

namespace assay::trace {

llvm::StringRef CsvFile::cell(size_t row, llvm::StringRef title) const {
  auto it = columns.find(title);
  return it == columns.end() ? llvm::StringRef()
                             : llvm::StringRef(rows[row][it->second]);
}

/// Reads one record from the front of the text; false when a quote is not
/// closed.
static bool takeRecord(llvm::StringRef &text, std::vector<std::string> &cells,
                       int64_t &line) {
  cells.assign(1, "");
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    char c = text[i];
    line += c == '\n';
    if (quoted) {
      if (c != '"')
        cells.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        cells.back() += text[i++];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      ++i;
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text = text.drop_front(i);
  return !quoted;
}

llvm::Expected<CsvFile> readCsv(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::StringRef text(reinterpret_cast<const char *>((*file)->bytes().data()),
                       (*file)->bytes().size());
  text = withoutByteOrderMark(text);
  CsvFile result;
  int64_t line = 1;
  std::vector<std::string> cells;
  while (!text.empty()) {
    int64_t start = line;
    if (!takeRecord(text, cells, line))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' line {1}: a quote is not closed", path, start);
    if (cells.size() == 1 && cells[0].empty())
      continue;
    if (result.header.empty()) {
      result.header = cells;
      for (size_t i = 0; i < cells.size(); ++i)
        result.columns[llvm::StringRef(cells[i]).trim()] = i;
      continue;
    }
    if (cells.size() > result.header.size())
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' line {1} has {2} cells, the header {3}", path,
                       start, cells.size(), result.header.size());
    cells.resize(result.header.size());
    result.rows.push_back(cells);
  }
  if (result.header.empty())
    return makeError(ErrorCode::InvalidArgument, "'{0}' is empty", path);
  return result;
}

} // namespace assay::trace
