// dot (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dot(
func.func @dot(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) {
  // CHECK: stablehlo.dot %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %r0 = stablehlo.dot %a, %b : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dot %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, precision = [HIGH, HIGH] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %r1 = stablehlo.dot %c, %c, precision = [HIGH, HIGH] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_rank(%a: tensor<2x2x2xf32>) {
  // expected-error@+1 {{must have rank 1 or 2}}
  %0 = stablehlo.dot %a, %a : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have one size, got 3 and 2}}
  %0 = stablehlo.dot %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
