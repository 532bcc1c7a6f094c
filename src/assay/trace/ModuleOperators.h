/// Leaf modules as the operator that they call with their settings.
#pragma once

#include "assay/trace/ModulePrograms.h"
#include "assay/trace/OperatorTrace.h"

#include <map>

namespace assay::trace {

/// A call as if it had been recorded, and its tensors by their places ("0").
struct ModuleCallTrace {
  TracedCall call;
  std::map<std::string, tensor::Tensor> tensors;
};

/// The forward call: convolutions and their transposes, batch, group
/// and layer norms, activations with parameters, pools in two dimensions.
/// Nullopt: the class is not known, or its settings were not recorded.
std::optional<ModuleCallTrace> operatorOf(llvm::StringRef className,
                                          const LeafCall &call);

/// A convolution's gradient: of its input (`output` 0) or weight (1) from the
/// one call's input and the gradient of what it gave.
std::optional<ModuleCallTrace>
convolutionGradientOf(llvm::StringRef className, const LeafCall &call,
                      const tensor::Tensor &gradient, size_t output);

/// A Linear's gradient of its input; that and the gradient of what it gave are
/// rows.
std::optional<ModuleCallTrace> linearGradientOf(const LeafCall &call,
                                                const tensor::Tensor &gradient);

/// As ModulePrograms.h's replayLeaf, by the operators' programs.
std::optional<ReplayResult>
replayAsOperator(const std::optional<ModuleCallTrace> &target,
                 const tensor::Tensor &targetOutput,
                 const std::optional<ModuleCallTrace> &bench,
                 const tensor::Tensor &benchOutput,
                 std::optional<numerics::ElementType> accumulation);

} // namespace assay::trace
