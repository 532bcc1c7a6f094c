/// CSV files as RFC 4180 describes them: quoted cells, doubled quotes, line
/// breaks inside quotes.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace assay::trace {

struct CsvFile {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows; ///< each as long as the header
  llvm::StringMap<size_t> columns;            ///< index by title

  /// The cell, empty when there is no such column.
  llvm::StringRef cell(size_t row, llvm::StringRef title) const;
};

/// Errors: NotFound, InvalidArgument for an empty file, a row longer than the
/// header, or an unclosed quote; each with file and line.
llvm::Expected<CsvFile> readCsv(llvm::StringRef path);

} // namespace assay::trace
