/// Gradients of filters with channels last: what their algorithms share.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"

namespace assay::engine {

/// Why the convolution is not such a gradient, or its types have no kernel.
std::optional<Refusal> refusalOfGradient(const ConvRequest &request);

/// A step whose results are sums: its results are rounded once where those of the operation
/// are of a narrower type.
std::unique_ptr<Step> roundedOnce(std::unique_ptr<Step> sums,
                                  const StepSpec &spec);

} // namespace assay::engine
