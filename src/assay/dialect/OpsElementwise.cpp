// The generated definitions of the operations of Elementwise.td and their
// registration: one translation unit per family, so that the dialect compiles
// in parallel.
#include "assay/dialect/Format.h"
#include "assay/dialect/Stablehlo.h"

#define GET_OP_CLASSES
#include "assay/dialect/Elementwise.cpp.inc"

void assay::stablehlo::StablehloDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Elementwise.cpp.inc"
      >();
}
