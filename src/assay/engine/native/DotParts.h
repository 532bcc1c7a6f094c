/// The parts of a product, for a step that computes it piece by piece.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

struct DotParts {
  /// One entry of the batch, with the strides of arranged operands.
  kernels::GemmProblem problem;
  /// Where the entry begins in the arranged operands and in the result, in
  /// elements.
  struct Entry {
    int64_t a, b, c;
  };
  std::vector<Entry> entries;
  bool isCopied[2] = {false, false}; ///< the operand has to be arranged
};

/// The step that makeDotStep makes.
class ProductStep : public PiecewiseStep {
public:
  const ProductStep *asProduct() const final { return this; }
  /// Nothing where the product has an epilogue or an empty batch.
  virtual std::optional<DotParts> parts() const = 0;
  /// Operand `index` as the parts' strides say: `value` with every element stored,
  /// or a copy under the run's budget.
  virtual llvm::Expected<Tensor> arranged(StepContext &context,
                                          const Tensor &value,
                                          size_t index) const = 0;
};

/// The parts of a product step; nullopt for any other step.
inline std::optional<DotParts> dotPartsOf(const Step &step) {
  const ProductStep *product = productStepOf(step);
  return product ? product->parts() : std::nullopt;
}

} // namespace assay::engine
