/// The chlo dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/Chlo.h"

namespace assay::chlo {

/// Lets bytecode contain the dialect's enumerations in upstream's encoding; its
/// other attributes are written as text.
void addBytecode(ChloDialect &dialect);

} // namespace assay::chlo
