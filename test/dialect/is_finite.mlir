// is_finite: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @is_finite(
func.func @is_finite(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.is_finite %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %r0 = stablehlo.is_finite %a : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @is_finite_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.is_finite %a : (tensor<2x3xf32>) -> tensor<2xi1>
  return
}
