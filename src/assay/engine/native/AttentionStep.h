/// Two products and the loop between them, computed a piece of rows at a time.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// The steps that become one.
struct AttentionParts {
  std::unique_ptr<Step> *first, *loop, *second;
  size_t made; ///< the loop's operand that is the first product's result
  size_t read; ///< the second product's operand that is the loop's result
  TensorType scores; ///< the first product's result
  TensorType shares; ///< the loop's only result
};

/// One step that replaces the three and owns them. Its operands are the first
/// product's two, the second product's other one, and the loop's others.
/// Returns null, and changes nothing, if pieces of the loop's rows are not
/// pieces of both products' rows, or are too few to be worth it.
std::unique_ptr<Step> makeAttentionStep(std::shared_ptr<NativeContext> context,
                                        const AttentionParts &parts);

} // namespace assay::engine
