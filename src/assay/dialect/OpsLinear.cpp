// The generated definitions of the operations of Linear.td and their
// registration: one translation unit per family, so that the dialect compiles
// in parallel.
#include "assay/dialect/Format.h"
#include "assay/dialect/Stablehlo.h"

#define GET_OP_CLASSES
#include "assay/dialect/Linear.cpp.inc"

void assay::stablehlo::StablehloDialect::registerLinearOps() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Linear.cpp.inc"
      >();
}
