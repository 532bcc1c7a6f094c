/// Products of this processor, as a problem of their space.
#pragma once

#include "assay/kernels/Problem.h"
#include "assay/select/KernelSpace.h"

namespace assay::select {

/// `layout`: under which the product's kernels are listed; its strides may be of
/// another.
ProblemRef problemOf(const kernels::GemmProblem &product,
                     kernels::Layout layout);
/// Of a problem of this space.
const kernels::GemmProblem &productOf(const Problem &problem);

/// Each shape with each number of threads.
std::vector<ProblemRef> gemmProblems(kernels::TypePair types,
                                     kernels::Layout layout,
                                     llvm::ArrayRef<Shape> shapes,
                                     llvm::ArrayRef<int> threads);

} // namespace assay::select
