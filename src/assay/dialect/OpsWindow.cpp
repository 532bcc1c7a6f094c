// The generated definitions of the operations of Window.td and their
// registration: one translation unit per family, so that the dialect compiles
// in parallel.
#include "assay/dialect/Format.h"
#include "assay/dialect/Stablehlo.h"

#define GET_OP_CLASSES
#include "assay/dialect/Window.cpp.inc"

void assay::stablehlo::StablehloDialect::registerWindowOps() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Window.cpp.inc"
      >();
}
