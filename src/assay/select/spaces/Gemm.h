/// Products on this processor, as a problem of their space.
#pragma once

#include "assay/kernels/Config.h"
#include "assay/select/KernelSet.h"

namespace assay::select {

/// `layout`: the layout under which the product's kernels are listed; the
/// product's strides may have another.
ProblemRef problemOf(const kernels::GemmProblem &product,
                     kernels::Layout layout);
/// The product of a problem of this space.
const kernels::GemmProblem &productOf(const Problem &problem);
/// The configuration of a kernel of a set of this space: a number below
/// sizeFor() of some problem.
const kernels::GemmConfig &gemmConfigOf(const KernelSet &set, int32_t kernel);

/// Each shape with each number of threads.
std::vector<ProblemRef> gemmProblems(kernels::TypePair types,
                                     kernels::Layout layout,
                                     llvm::ArrayRef<Shape> shapes,
                                     llvm::ArrayRef<int> threads);

} // namespace assay::select
