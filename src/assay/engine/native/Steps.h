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

/// convolution through kernels::gemm: the windows of a block of output
/// positions are gathered into rows. `config`, here and below: the choices that are not left
/// to the rules (ConvolutionAlgorithms.h).
std::unique_ptr<Step>
makeConvolutionStep(std::shared_ptr<NativeContext> context,
                    const StepSpec &spec, double minimumWork,
                    const kernels::ConvConfig &config = {});
/// True where that is faster than windows in place: tile registers
/// multiply these types, and only windows of so few channels fill them.
bool gathersForTiles(const NativeContext &context, const StepSpec &spec);

/// convolution of tensors that keep each feature's plane together (NCHW), with
/// any groups, dilations and strides that kernels can serve. `filter`: the layout of
/// operand 1, negative strides included; the operands' element types are
/// those of `spec`, which may be narrower integers than the operation's.
std::unique_ptr<Step>
makePlanarConvolutionStep(std::shared_ptr<NativeContext> context,
                          const StepSpec &spec, const Layout &filter,
                          double minimumWork);

/// convolution of each channel by itself: depthwise forward, the gradients of
/// its data and of its filter; or why there is no kernel for it. Where channels
/// are not contiguous (NCHW), image and result are reordered; groups of a
/// few channels side by side are taken too.
Compiled makeDepthwiseStep(std::shared_ptr<NativeContext> context,
                           const StepSpec &spec, double minimumWork,
                           const kernels::ConvConfig &config = {});

/// convolution of images whose channels are contiguous (NHWC), forward or the
/// gradient of the data, with any groups, strides and dilations; or why other
/// kernels are to take it. `filter` and types as for the planar one.
Compiled makeChannelsLastStep(std::shared_ptr<NativeContext> context,
                              const StepSpec &spec, const Layout &filter,
                              double minimumWork,
                              const kernels::ConvConfig &config = {});

/// A convolution of windows of 3 x 3 by Winograd's transforms where its NumericOptions allow
/// them and they are faster, with `direct`, the step that computes it otherwise, for operands
/// that they do not serve; else `direct` itself.
std::unique_ptr<Step> withWinograd(std::shared_ptr<NativeContext> context,
                                   const StepSpec &spec, const Layout &filter,
                                   std::unique_ptr<Step> direct);

/// convolution as the gradient of a filter where channels come last in image,
/// gradient and filter (NHWC, HWIO), in any groups; null for another one.
std::unique_ptr<Step>
makeFilterGradientStep(std::shared_ptr<NativeContext> context,
                       const StepSpec &spec, double minimumWork,
                       const kernels::ConvConfig &config = {});

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
