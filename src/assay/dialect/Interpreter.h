/// The interpreter dialect: print, probe, run_parallel.
#pragma once

#include "assay/dialect/StablehloAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "assay/dialect/InterpreterDialect.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Interpreter.h.inc"
