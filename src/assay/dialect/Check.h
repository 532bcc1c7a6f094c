/// The check dialect: operations that compare values and have no results.
#pragma once

#include "assay/dialect/StablehloAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "assay/dialect/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Check.h.inc"
