/// Convolutions as problems, and the step that a kernel's configuration names:
/// where the choice (kernels/conv/) meets the engine's steps.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// The problem that an operation is: images with channels last, one of the three
/// directions, one type. Convolutions without zeros between the image's elements
/// count as forward, whatever wrote them, unless the filter is read backwards. nullopt
/// for another layout, and for anything else.
std::optional<kernels::ConvProblem> convProblemOf(const StepSpec &spec,
                                                  const Layout &filter);

/// The step by a configuration's algorithm and parameters. Rule: the engine's own
/// order, the first algorithm that takes the operation. Says why not.
Compiled makeConvolutionBy(std::shared_ptr<NativeContext> context,
                           const StepSpec &spec, const Layout &filter,
                           const kernels::ConvConfig &config,
                           double minimumWork);

/// The step that a model chooses or, where none serves, ruleFor(); refused for
/// types and layouts without such a choice.
Compiled makeChosenConvolution(std::shared_ptr<NativeContext> context,
                               const StepSpec &spec, const Layout &filter,
                               double minimumWork);
/// That step, else the first algorithm's: what dispatch makes.
Compiled makeConvolution(std::shared_ptr<NativeContext> context,
                         const StepSpec &spec, const Layout &filter,
                         double minimumWork);

/// The program of a problem: one convolution as JAX writes it. Arguments, with
/// channels last (HWIO): forward image and filter; backward data the result's
/// gradient and the filter ([taps, out channels of a group, channels] with
/// groups); backward weights image and gradient.
llvm::Expected<std::shared_ptr<const program::Program>>
convolutionProgram(const kernels::ConvProblem &problem);

} // namespace assay::engine
