/// The native engine's own steps. Each maker returns null where the native
/// engine has nothing for the operation.
#pragma once

#include "assay/engine/native/NativeEngine.h"
#include "assay/engine/native/NativeStep.h"
#include "assay/kernels/conv/ConvConfig.h"
#include "assay/reference/DotDimensions.h"
#include "assay/reference/Ops.h"

namespace assay::engine {

using program::Step;
using program::StepContext;
using program::StepSpec;
using program::Tensor;
using program::TensorType;
using reference::DotDimensions;
using reference::dotDimensions;

/// ready() for all elements, in parts of `unit` or more, on all threads.
void sayAllReady(ThreadPool &threads, int64_t elements, int64_t unit,
                 PiecewiseStep::Ready ready);

/// Operations after a product in the same step.
struct DotEpilogue {
  kernels::Bias bias = kernels::Bias::None; ///< operand 2 of the step, in the
                                            ///< result's type (f32 or f64)
  kernels::Activation activation = kernels::Activation::None;
};

/// dot_general through kernels::gemm: batches of products with strides, copies
/// only where no strides can say it. `resultStrides`: for each dimension of the
/// result, in elements (empty: row-major).
std::unique_ptr<Step> makeDotStep(std::shared_ptr<NativeContext> context,
                                  const DotDimensions &dimensions, Layout lhs,
                                  Layout rhs, TensorType lhsType,
                                  TensorType rhsType, TensorType result,
                                  tensor::Shape resultStrides = {},
                                  DotEpilogue epilogue = {});

/// A convolution and the fused loop that is the only reader of its result (operand `made`
/// of the loop) as one step: pieces go through the loop while they are in the
/// cache. Its operands are the convolution's, then the loop's others. Gives the
/// two back (null) where the loop cannot follow.
std::unique_ptr<Step> makeFollowedStep(std::unique_ptr<Step> &convolution,
                                       std::unique_ptr<Step> &loop, size_t made,
                                       size_t convolutionOperands,
                                       const TensorType &between);

/// reduce_window by maximum, minimum or, with `sums`, sum of f32 whose window
/// leaves the last dimension alone.
std::unique_ptr<Step> makePoolStep(const StepSpec &spec, bool sums);

/// reduce of f32 by sum, maximum or minimum over neighbouring dimensions that
/// are not the last ones: rows of the dimensions after them are added up.
std::unique_ptr<Step> makeColumnReductionStep(const StepSpec &spec);

/// True if a kernel takes these element types.
bool kernelTakes(numerics::ElementType lhs, numerics::ElementType rhs,
                 numerics::ElementType result);

} // namespace assay::engine
