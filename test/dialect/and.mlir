// and: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @and(
func.func @and(%a0: tensor<2x3xi32>, %b0: tensor<2x3xi32>, %a1: tensor<2x3xi1>, %b1: tensor<2x3xi1>) {
  // CHECK: stablehlo.and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r0 = stablehlo.and %a0, %b0 : tensor<2x3xi32>
  // CHECK: stablehlo.and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi1>
  %r1 = stablehlo.and %a1, %b1 : tensor<2x3xi1>
  return
}

// -----

func.func @and_c1(%a: tensor<2x3xi32>, %b: tensor<3x2xi32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @and_c1_result(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.and"(%a, %a) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @and_i1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.and %a, %a : tensor<2x3xf32>
  return
}
