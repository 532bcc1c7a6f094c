/// A reader for the sdy dialect, with which JAX describes how tensors are
/// sharded. Attributes are kept as text (#sdy.sharding<...>), meshes and
/// constraints as operations. Nothing is checked.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "assay/dialect/SdyDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/SdyAttrs.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Sdy.h.inc"
