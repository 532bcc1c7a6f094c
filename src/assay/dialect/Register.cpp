// Registers every dialect that a program may use, Assay's and MLIR's.
#include "assay/dialect/Register.h"

#include "assay/dialect/Check.h"
#include "assay/dialect/Chlo.h"
#include "assay/dialect/Interpreter.h"
#include "assay/dialect/Native.h"
#include "assay/dialect/Sdy.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/vhlo/Vhlo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

void assay::registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<stablehlo::StablehloDialect, chlo::ChloDialect,
              check::CheckDialect, interpreter::InterpreterDialect,
              native::NativeDialect,
              mlir::func::FuncDialect, mlir::arith::ArithDialect,
              mlir::tensor::TensorDialect, mlir::shape::ShapeDialect,
              mlir::quant::QuantDialect, sdy::SdyDialect, vhlo::VhloDialect>();
  mlir::func::registerInlinerExtension(registry);
}
