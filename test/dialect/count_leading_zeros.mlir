// count_leading_zeros: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @count_leading_zeros(
func.func @count_leading_zeros(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi4>) {
  // CHECK: stablehlo.count_leading_zeros %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r0 = stablehlo.count_leading_zeros %a0 : tensor<2x3xi32>
  // CHECK: stablehlo.count_leading_zeros %{{[^ ,:)]+}} : tensor<2x3xi4>
  %r1 = stablehlo.count_leading_zeros %a1 : tensor<2x3xi4>
  return
}

// -----

func.func @count_leading_zeros_c1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @count_leading_zeros_i1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.count_leading_zeros %a : tensor<2x3xf32>
  return
}
