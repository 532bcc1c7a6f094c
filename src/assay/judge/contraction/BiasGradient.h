/// The verdict on the gradient of a bias: sums of a channel's elements.
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/judge/contraction/Fill.h"

namespace assay::judge {

/// Formula: bias[c] = sum of grad[n, c, x] over n and x
/// Bound:   likelyBound (SumBounds.h) of the sum of magnitudes; 0 for data whose
///          sums are exact
/// `values`: grad's, row-major; `got`: one number per channel.
Verdict judgeBiasGradient(const Slot &grad, const float *values,
                          const Slot &bias, const FillPlan &plan,
                          llvm::ArrayRef<double> got);

} // namespace assay::judge
