/// Convolutions on this processor, as problems of their spaces.
#pragma once

#include "assay/kernels/conv/ConvConfig.h"
#include "assay/select/LearnedSelector.h"

namespace assay::select {

/// The layout of convolutions in data sets and models: channels last.
inline constexpr const char *kConvLayout = "nhwc";

ProblemRef problemOf(const kernels::ConvProblem &convolution);
std::vector<ProblemRef>
problemsOf(llvm::ArrayRef<kernels::ConvProblem> convolutions);
/// The convolution of a problem of these spaces.
const kernels::ConvProblem &convolutionOf(const Problem &problem);
/// The configuration of a kernel of a set of these spaces.
const kernels::ConvConfig &convConfigOf(const KernelSet &set, int32_t kernel);

/// The name, in a choice, of the chooser where no model applies.
inline constexpr const char *kRuleName = "the engine's rule";

using ConvChoice = ExplainedChoice<kernels::ConvConfig>;

/// Chooses kernels for the native engine. Threads: any.
class ConvSelector {
public:
  /// As ModelDispatch.
  explicit ConvSelector(kernels::Registry &registry,
                        std::vector<std::string> folders = {},
                        bool anyMachine = false)
      : registry_(registry),
        dispatch_(registry, std::move(folders), anyMachine) {}
  ConvChoice choose(const kernels::ConvProblem &problem);

private:
  kernels::Registry &registry_;
  ModelDispatch dispatch_;
};

} // namespace assay::select
