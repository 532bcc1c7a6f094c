/// The sdy dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/Sdy.h"

namespace assay::sdy {

/// Lets bytecode contain the dialect's attributes in Shardy's encoding.
void addBytecode(SdyDialect &dialect);

} // namespace assay::sdy
