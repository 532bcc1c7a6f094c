// round_nearest_even: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @round_nearest_even(
func.func @round_nearest_even(%a0: tensor<2x3xf32>) {
  // CHECK: stablehlo.round_nearest_even %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.round_nearest_even %a0 : tensor<2x3xf32>
  return
}

// -----

func.func @round_nearest_even_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @round_nearest_even_i1(%a: tensor<2x3xi1>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.round_nearest_even %a : tensor<2x3xi1>
  return
}
