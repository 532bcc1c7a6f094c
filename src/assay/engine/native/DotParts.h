/// The parts of a product, for a step that computes it piece by piece.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

struct DotParts {
  /// One entry of the batch; its strides are those of operands that are arranged.
  kernels::GemmProblem problem;
  /// Where the entry begins in the arranged operands and in the result, in
  /// elements.
  struct Entry {
    int64_t a, b, c;
  };
  std::vector<Entry> entries;
  bool isCopied[2] = {false, false}; ///< the operand has to be arranged
};

/// Nothing for a step that makeDotStep did not make, for one with an epilogue and
/// for an empty batch.
std::optional<DotParts> dotPartsOf(const Step &step);

/// Operand `index` of a step that has parts, as their strides say: `value` with
/// every element stored, or a copy under the run's budget.
llvm::Expected<Tensor> arrangedOperand(const Step &dot, StepContext &context,
                                       const Tensor &value, size_t index);

} // namespace assay::engine
