/// The chlo dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/Chlo.h"

namespace assay::chlo {

/// Lets bytecode hold the dialect's enumerations as upstream does; its other
/// attributes go as text.
void addBytecode(ChloDialect &dialect);

} // namespace assay::chlo
