/// The rows behind Drivers.def, one object per driver file, and what conv and
/// deconv share.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

#define ASSAY_DRIVER(id, name, file) extern const Driver k##id;
#include "assay/verify/Drivers.def"
#undef ASSAY_DRIVER

Dims convolutionDims(const Problem &problem, Role role);
Dims channelBiasDims(const Problem &problem);
std::string convolutionDescriptorText(const Problem &problem);

} // namespace assay::verify::drivers
