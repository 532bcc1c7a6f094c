/// The tests of `assay test` and their results, also on several ranks.
#pragma once

#include "assay/ranks/Sharing.h"

#include <functional>
#include <string>
#include <vector>

namespace assay::tools {

/// One part of a file, between two split lines.
struct TestUnit {
  std::string file, text;
};

enum class TestStatus { Passed, Failed, Skipped };
struct TestCase {
  std::string name; ///< file:@function
  TestStatus status = TestStatus::Failed;
  std::string detail{}; ///< of a failure or a skipped test
  bool limited = false; ///< a memory or time limit ended it
};

/// The result of a unit.
struct UnitResult {
  std::vector<TestCase> cases;
  std::string error; ///< why its text is not a program
};

/// The results of the units, each made by `run` on one of the board's ranks. A
/// unit that killed two processes is a failed case. Errors: those of
/// ranks::share.
struct SharedUnits {
  bool reports = false; ///< false: another rank reports
  std::vector<UnitResult> results;
  int64_t left = 0; ///< units that were not run
  std::optional<ErrorText> stopped;
};
llvm::Expected<SharedUnits>
shareUnits(ranks::RankBoard &board, const std::vector<TestUnit> &units,
           llvm::ArrayRef<int64_t> order,
           const std::function<UnitResult(size_t unit)> &run,
           const Interrupt &interrupt);

} // namespace assay::tools
