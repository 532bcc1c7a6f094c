/// The text of an Einstein summation: "ab,bc->ac".
#pragma once

#include "assay/dialect/Infer.h"

#include <string>

namespace assay::stablehlo {

/// One character per dimension; an ellipsis has become one character below 'A'
/// for each dimension that it stands for, aligned at the right.
struct EinsumLabels {
  llvm::SmallVector<std::string, 2> inputs;
  std::string output;
};

/// Parses `config` for operands of these ranks.
/// Errors: another number of operands, a label that is not a letter, a rank that
/// does not fit, an output label that is in
///         no input or repeated.
mlir::FailureOr<EinsumLabels> parseEinsum(llvm::StringRef config,
                                          llvm::ArrayRef<int64_t> ranks,
                                          EmitError error);

/// The shape of the result; dimensions under one label must be equal, or 1
/// under an ellipsis.
mlir::FailureOr<Dims> inferEinsum(const EinsumLabels &labels,
                                  llvm::ArrayRef<Shape> operands,
                                  EmitError error);

} // namespace assay::stablehlo
