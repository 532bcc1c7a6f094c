/// The text of an Einstein summation: "ab,bc->ac".
#pragma once

#include "assay/dialect/Infer.h"

#include <string>

namespace assay::stablehlo {

/// One character per dimension. An ellipsis becomes one character below 'A' for
/// each dimension that it stands for, aligned at the right.
struct EinsumLabels {
  llvm::SmallVector<std::string, 2> inputs;
  std::string output;
};

/// Parses `config` for operands of these ranks.
/// Errors: a wrong number of operands, a label that is not a letter, a rank
/// that does not match, an output label that is repeated or in no input.
mlir::FailureOr<EinsumLabels> parseEinsum(llvm::StringRef config,
                                          llvm::ArrayRef<int64_t> ranks,
                                          EmitError error);

/// The shape of the result. Dimensions with the same label must be equal, or 1
/// where they belong to an ellipsis.
mlir::FailureOr<Dims> inferEinsum(const EinsumLabels &labels,
                                  llvm::ArrayRef<Shape> operands,
                                  EmitError error);

} // namespace assay::stablehlo
