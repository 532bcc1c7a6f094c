/// The table of VHLO's operations. Private to the dialect.
#pragma once

#include "mlir/IR/Dialect.h"

namespace assay::vhlo {

void registerOps(mlir::Dialect &dialect);

} // namespace assay::vhlo
