// convert: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @convert(
func.func @convert(%a: tensor<2x3xf32>, %b: tensor<2x3xi1>, %c: tensor<2x3xf32>) {
  // CHECK: stablehlo.convert %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %r0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // CHECK: stablehlo.convert %{{[^ ,:)]+}} : (tensor<2x3xi1>) -> tensor<2x3xf8E4M3FN>
  %r1 = stablehlo.convert %b : (tensor<2x3xi1>) -> tensor<2x3xf8E4M3FN>
  // CHECK: stablehlo.convert %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r2 = stablehlo.convert %c : tensor<2x3xf32>
  return
}

// -----

func.func @convert_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}
