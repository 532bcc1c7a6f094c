/// Attributes, enumerations and types of the stablehlo dialect, without its
/// operations.
#pragma once

#include "assay/dialect/ElementKinds.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "assay/dialect/StablehloDialect.h.inc"
#include "assay/dialect/StablehloEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "assay/dialect/StablehloTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/StablehloAttrs.h.inc"
