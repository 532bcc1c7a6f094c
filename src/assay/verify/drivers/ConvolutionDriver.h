/// The row of drivers conv and deconv, which differ in the side that is
/// smaller.
#pragma once

#include "assay/verify/drivers/Drivers.h"

namespace assay::verify::drivers {

template <bool isTransposed>
llvm::Error parseConvolution(llvm::StringRef token, int64_t mb,
                             Problem &problem) {
  if (llvm::Error error = readConvolution(token, isTransposed, problem.name)
                              .moveInto(problem.descriptor))
    return error;
  if (mb)
    problem.descriptor.mb = mb;
  return llvm::Error::success();
}

/// A deconvolution is the convolution from dst to src.
template <bool isTransposed>
double operationsOfConvolution(const Problem &problem) {
  Descriptor c = problem.descriptor;
  if (isTransposed) {
    std::swap(c.ic, c.oc);
    std::swap(c.id, c.od);
    std::swap(c.ih, c.oh);
    std::swap(c.iw, c.ow);
  }
  return convolutionOperations(c);
}

template <bool isTransposed> Driver convolutionDriver() {
  return {.name = isTransposed ? "deconv" : "conv",
          .parse = parseConvolution<isTransposed>,
          .text = convolutionDescriptorText,
          .build =
              [](const Problem &problem) {
                return convolutionProgram(problem, isTransposed);
              },
          .recognise =
              [](const BoundProgram &bound) {
                return recogniseConvolution(isTransposed ? kDeconv : kConv,
                                            bound, isTransposed);
              },
          .contraction =
              [](const Problem &problem) {
                return convolutionCase(problem, isTransposed);
              },
          .dims = convolutionDims,
          .biasDims = channelBiasDims,
          .operations = operationsOfConvolution<isTransposed>,
          .json = descriptorJson,
          .knobs = {},
          .hasTypes = true,
          .hasDirections = true,
          .hasBias = true,
          .hasTags = true,
          .hasStrides = true,
          .hasAlgorithm = true,
          .hasAttributes = true,
          .maskOfPolicy = channelMask};
}

} // namespace assay::verify::drivers
