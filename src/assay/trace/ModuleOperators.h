/// Leaf modules as the operator that they call with their settings.
#pragma once

#include "assay/trace/ModulePrograms.h"
#include "assay/trace/OperatorTrace.h"

#include <map>

namespace assay::trace {

/// A call in the form of a recorded one, and its tensors by their places ("0").
struct ModuleCallTrace {
  TracedCall call;
  std::map<std::string, tensor::Tensor> tensors;
};

/// The forward call: convolutions and their transposes, batch, group and layer
/// norms, activations with parameters, pools in two dimensions. Nullopt: the
/// class is unknown, or its settings were not recorded.
std::optional<ModuleCallTrace> operatorOf(llvm::StringRef className,
                                          const LeafCall &call);

/// The gradient (`output` 0) of the input of convolutions, layer, group and
/// batch norms and activations, from the only call's input or result and the
/// gradient of its output; the gradient of a convolution's weight (1); the
/// gradient of a Linear's input, where both are rows. `call.output` is the
/// recorded gradient.
std::optional<ModuleCallTrace>
gradientOf(const LeafCall &call, const tensor::Tensor &gradient, size_t output);
/// Whether this gradient needs the result of the forward call (`call.result`).
bool isGradientOfResult(llvm::StringRef className);

/// As ModulePrograms.h's replayLeaf, by the operators' programs.
std::optional<ReplayResult>
replayAsOperator(const std::optional<ModuleCallTrace> &target,
                 const tensor::Tensor &targetOutput,
                 const std::optional<ModuleCallTrace> &bench,
                 const tensor::Tensor &benchOutput,
                 std::optional<numerics::ElementType> accumulation);

} // namespace assay::trace
