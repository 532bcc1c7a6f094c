/// Problems in programs: what `run --engine onednn|plugin:PATH` offers to an
/// engine that supports only single problems.
#pragma once

#include "assay/engine/Offer.h"

namespace assay::verify {

/// The problems of the grammar whose main operation is `op`: a product or a
/// convolution that the words of `verify` can express. An engine::Recogniser.
std::vector<engine::Offer> offersFor(mlir::Operation *op);

} // namespace assay::verify
