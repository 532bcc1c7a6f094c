// not: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @not(
func.func @not(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi1>) {
  // CHECK: stablehlo.not %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r0 = stablehlo.not %a0 : tensor<2x3xi32>
  // CHECK: stablehlo.not %{{[^ ,:)]+}} : tensor<2x3xi1>
  %r1 = stablehlo.not %a1 : tensor<2x3xi1>
  return
}

// -----

func.func @not_c1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.not"(%a) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @not_i1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.not %a : tensor<2x3xf32>
  return
}
