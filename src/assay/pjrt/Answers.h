/// Declares one function for each row of Calls.def that the plugin implements;
/// the files of the groups define them.
#pragma once

#include "assay/pjrt_abi/Abi.h"

namespace assay::pjrt {

#define CALL(NAME, ...) Error *answer(args::NAME *a);
#define ABSENT(NAME, ...)
#include "assay/pjrt_abi/Calls.def"
#undef ABSENT
#undef CALL

} // namespace assay::pjrt
