/// Operations as problems that models know, and problems as operations.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// Image and result as [batch, space..., feature].
bool areChannelsLast(stablehlo::ConvDimensionNumbersAttr dims);
/// The gradient of a filter with channels last: image [c, positions, n] as the
/// operation names it, gradient [n, positions, o], result [taps, c, o].
bool isGradientOfChannelsLast(stablehlo::ConvDimensionNumbersAttr dims);

/// The problem that an operation is: images with channels last, one of the three
/// directions, one type. Convolutions without zeros between the image's elements
/// count as forward, whatever wrote them, unless the filter is read backwards. nullopt
/// for another layout, and for anything else.
std::optional<kernels::ConvProblem> convProblemOf(const StepSpec &spec,
                                                  const Layout &filter);

/// The program of a problem: one convolution as JAX writes it. Arguments, with
/// channels last (HWIO): forward image and filter; backward data the result's
/// gradient and the filter ([taps, out channels of a group, channels] with
/// groups); backward weights image and gradient.
llvm::Expected<std::shared_ptr<const program::Program>>
convolutionProgram(const kernels::ConvProblem &problem);

} // namespace assay::engine
