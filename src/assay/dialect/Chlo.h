/// The chlo dialect: special functions, broadcasting operations, top_k, scan,
/// ragged_dot. Class names as in Stablehlo.h.
#pragma once

#include "assay/dialect/StablehloAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "assay/dialect/ChloDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/ChloAttrs.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Chlo.h.inc"
