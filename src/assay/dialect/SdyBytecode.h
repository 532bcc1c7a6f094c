/// The sdy dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/Sdy.h"

namespace assay::sdy {

/// Lets bytecode hold the dialect's attributes as Shardy writes them.
void addBytecode(SdyDialect &dialect);

} // namespace assay::sdy
