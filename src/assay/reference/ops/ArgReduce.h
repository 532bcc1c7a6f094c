/// Reductions that find the place of the largest or the smallest value.
#pragma once

#include "assay/reference/Comparators.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

/// The operand's index space split into kept and reduced dimensions.
struct Split {
  Shape keptShape, keptStrides, reducedShape, reducedStrides;
  int64_t results = 1, reduced = 1;
};

/// The step of a reduce whose body is an ArgReducer; null for any other.
std::unique_ptr<Step> makeArgReduce(const StepSpec &spec, Split split);

} // namespace assay::reference
