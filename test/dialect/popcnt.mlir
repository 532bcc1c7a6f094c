// popcnt: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @popcnt(
func.func @popcnt(%a0: tensor<2x3xi32>, %a1: tensor<2x3xui8>) {
  // CHECK: stablehlo.popcnt %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r0 = stablehlo.popcnt %a0 : tensor<2x3xi32>
  // CHECK: stablehlo.popcnt %{{[^ ,:)]+}} : tensor<2x3xui8>
  %r1 = stablehlo.popcnt %a1 : tensor<2x3xui8>
  return
}

// -----

func.func @popcnt_c1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.popcnt"(%a) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @popcnt_i1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.popcnt %a : tensor<2x3xf32>
  return
}
