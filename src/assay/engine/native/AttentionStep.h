/// Two products and the loop between them, computed a piece of rows at a time.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// What is to become one step.
struct AttentionParts {
  std::unique_ptr<Step> *first, *loop, *second;
  size_t made; ///< the operand of the loop that is the first product's result
  size_t read; ///< the operand of the second product that is the loop's result
  TensorType scores; ///< the first product's result
  TensorType shares; ///< the loop's only result
};

/// One step in their place, which takes them over. Its operands: the first
/// product's two, the other one of the second's, the loop's others. Null, with all
/// as it was, where pieces of the loop's rows are no pieces of both products' rows,
/// or are too few to be worth it.
std::unique_ptr<Step> makeAttentionStep(std::shared_ptr<NativeContext> context,
                                        const AttentionParts &parts);

} // namespace assay::engine
