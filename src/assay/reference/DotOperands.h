/// Brings the operands of products into one order; shared by dot_general and
/// ragged_dot.
#pragma once

#include "assay/reference/Contraction.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

/// How one operand is read: its dimensions in the order batch, free, contracted.
struct OperandView {
  Shape shape, strides;
  int64_t batch = 1, free = 1, contracted = 1;
};
OperandView viewOf(const TensorType &type, llvm::ArrayRef<int64_t> batch,
                   llvm::ArrayRef<int64_t> contracted);

/// Both operands of a product, each as a dense tensor [batch, free,
/// contracted].
struct Arranged {
  Tensor lhs, rhs;
};
/// The first two operands of the step in type `compute`. Errors: ResourceLimit.
llvm::Expected<Arranged> arrangeBoth(StepContext &context,
                                     const OperandView &lhs,
                                     const OperandView &rhs,
                                     numerics::ElementType compute);

/// The step that computes result[b, i, j] = sum_k lhs[b, i, k] * rhs[b, j, k]
/// from the first two operands. Errors: those of Contraction::make().
llvm::Expected<std::unique_ptr<Step>>
makeDot(const StepSpec &spec, llvm::ArrayRef<int64_t> lhsBatch,
        llvm::ArrayRef<int64_t> rhsBatch, llvm::ArrayRef<int64_t> lhsContracted,
        llvm::ArrayRef<int64_t> rhsContracted);

} // namespace assay::reference
