/// The contraction by Assay's own kernels: products directly, convolutions as
/// products with the unfolded input. In f32; an implementation that shares
/// nothing with the reference's loops nor with oneDNN.
#pragma once

#include "assay/judge/contraction/Contraction.h"
#include "assay/kernels/CostModel.h"
#include "assay/kernels/Selector.h"

#include <memory>

namespace assay::verify {

class FastContraction {
public:
  FastContraction() : selector_(kernels::makeAnalyticSelector(registry_)) {}
  /// c = contraction of a and b with f32 sums. Errors: what the kernels refuse.
  llvm::Error run(const judge::Contraction &contraction, const float *a,
                  const float *b, float *c, ThreadPool &pool);

private:
  kernels::Registry registry_;
  std::unique_ptr<kernels::Selector> selector_;
};

} // namespace assay::verify
