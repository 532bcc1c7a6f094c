/// How a program's results change when arguments grow by a power of two:
/// sums, products and choices keep every bit but the exponent.
#pragma once

#include "assay/program/Program.h"

namespace assay::verify {

/// With the marked arguments times s, result i is exactly s^degrees[i] times
/// the original, barring overflow and subnormal numbers.
struct ScalePlan {
  std::vector<bool> arguments;
  std::vector<int> degrees;
};

/// The smallest set of float arguments with which the results scale. Errors:
/// Unsupported if there is none.
llvm::Expected<ScalePlan> scalePlan(const program::Program &program,
                                    llvm::StringRef entry);

} // namespace assay::verify
