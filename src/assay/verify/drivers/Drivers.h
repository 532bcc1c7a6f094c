/// The objects of Drivers.def, one for each driver file, and the shared parts
/// of conv, deconv and ip.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

#define ASSAY_DRIVER(id, name, file) extern const Driver k##id;
#include "assay/verify/Drivers.def"
#undef ASSAY_DRIVER

/// Sets dst, m, n and k from src and weights of one rank.
void setMatmulSizes(MatmulSizes &sizes);
Dims convolutionDims(const Problem &problem, Role role);
Dims channelBiasDims(const Problem &problem);
std::string convolutionDescriptorText(const Problem &problem);
/// `transposed`: a deconvolution.
llvm::Expected<judge::Case> convolutionCase(const Problem &problem,
                                            bool transposed);
llvm::Expected<BoundProgram> convolutionProgram(const Problem &problem,
                                                bool transposed);
std::optional<Problem> recogniseConvolution(const Driver &driver,
                                            const BoundProgram &bound,
                                            bool transposed);
/// Driver::maskOfPolicy for weights [g,] oc, ...
std::optional<int64_t> channelMask(const Problem &problem,
                                   llvm::StringRef argument,
                                   llvm::StringRef policy);
/// Writes every letter of the descriptor.
void descriptorJson(const Problem &problem, llvm::json::Object &object);

} // namespace assay::verify::drivers
