// clamp: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @clamp(
func.func @clamp(%a: tensor<2x3xf32>, %s: tensor<f32>, %b: tensor<2x3xf32>) {
  // CHECK: stablehlo.clamp %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.clamp %a, %a, %a : tensor<2x3xf32>
  // CHECK: stablehlo.clamp %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r1 = stablehlo.clamp %s, %b, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_c1(%s: tensor<3xf32>, %a: tensor<2x3xf32>) {
  // expected-error@+1 {{min must have shape}}
  %0 = stablehlo.clamp %s, %a, %a : (tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_c2(%s: tensor<3xf32>, %a: tensor<2x3xf32>) {
  // expected-error@+1 {{max must have shape}}
  %0 = stablehlo.clamp %a, %a, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_c3(%s: tensor<i32>, %a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.clamp %s, %a, %a : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result must have shape}}
  %0 = stablehlo.clamp %a, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
