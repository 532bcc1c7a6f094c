/// The stablehlo dialect: operations, attributes and types. A class is the
/// operation's name in CamelCase and `Op`
/// (`round_nearest_afz` -> RoundNearestAfzOp, `cross-replica-sum` ->
/// CrossReplicaSumOp); its accessors are the names of operands, attributes and
/// regions in the StableHLO specification (getInitValues,
/// getDotDimensionNumbers, getBody).
#pragma once

#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/Traits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "assay/dialect/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Shape.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Linear.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Index.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Control.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Window.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Collective.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/QuantRandom.h.inc"
