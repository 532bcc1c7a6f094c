/// Convolutions of this processor, as problems of their spaces.
#pragma once

#include "assay/kernels/conv/ConvProblem.h"
#include "assay/select/KernelSpace.h"

namespace assay::select {

/// The layout of convolutions in data sets and models: channels last.
inline constexpr const char *kConvLayout = "nhwc";

ProblemRef problemOf(const kernels::ConvProblem &convolution);
std::vector<ProblemRef>
problemsOf(llvm::ArrayRef<kernels::ConvProblem> convolutions);
/// Of a problem of these spaces.
const kernels::ConvProblem &convolutionOf(const Problem &problem);

} // namespace assay::select
