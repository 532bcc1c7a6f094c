/// The dimension of a program's arguments and results that counts independent
/// rows: each operation makes a row of its result from the same row of its
/// operands. Determined from the operations; properties of batches rely on it.
#pragma once

#include "assay/program/Program.h"

#include <optional>

namespace assay::verify {

struct RowPlan {
  /// The dimension of the rows in each argument; -1: every row reads all of it.
  std::vector<int> arguments;
  std::vector<int> results; ///< in each result
  int64_t rows = 0;
};

/// The first dimension of the first result along which every operation keeps
/// rows independent. Errors: Unsupported, with the operation that mixes them.
llvm::Expected<RowPlan> rowPlan(const program::Program &program,
                                llvm::StringRef entry);

/// The same program on another number of rows. Errors: Unsupported where an
/// operation depends on the size in a way that has no rule.
llvm::Expected<std::shared_ptr<const program::Program>>
withRows(const program::Program &program, llvm::StringRef entry, int64_t rows);

} // namespace assay::verify
