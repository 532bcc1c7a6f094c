/// The report line of mode P: benchdnn's templates, in which %field% stands for
/// a fact of the problem or of its times.
#pragma once

#include "assay/verify/Problem.h"

namespace assay::verify {

/// The values that a template can print.
struct PerfFacts {
  const Problem *problem = nullptr;
  std::vector<double> seconds; ///< one per run, at least one
  double createSeconds = 0;
  double inputBytes = 0, outputBytes = 0;
  int64_t index = 0;
  std::string implementation = {}; ///< empty: the engine names none
};

/// "def", "csv" or a template of the user's own, as text.
llvm::StringRef perfTemplateText(llvm::StringRef name);
/// Formula: %[-0+][KMG]FIELD%: '-' (default), '0', '+' take the least, the
/// average or the greatest time; K, M, G divide by 1e3, 1e6, 1e9. Times are in
/// milliseconds, bw in bytes/s, flops in operations/s. Errors: InvalidArgument
/// for a field that does not exist, naming it and the existing fields.
llvm::Expected<std::string> applyPerfTemplate(llvm::StringRef text,
                                              const PerfFacts &facts);
/// The same with the fields' names instead of their values: the header line of
/// a CSV file ("perf,engine,...,min_time").
llvm::Expected<std::string> perfHeader(llvm::StringRef text);

} // namespace assay::verify
