// broadcast_in_dim: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast_in_dim(
func.func @broadcast_in_dim(%a: tensor<1x3xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [2, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  %r0 = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %r1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_in_dim_c1(%a: tensor<3xf32>) {
  // expected-error@+1 {{must have the same element type}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @broadcast_in_dim_c2(%a: tensor<3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' must have 1 elements}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%a: tensor<3xf32>) {
  // expected-error@+1 {{must be within [0, 2), got 2}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c4(%a: tensor<1x1xf32>) {
  // expected-error@+1 {{must not repeat a number}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<1x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c5(%a: tensor<3xf32>) {
  // expected-error@+1 {{dimension 0 of the operand must be 1 or}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c6(%a: tensor<2x3x!quant.uniform<i8:f32:1, {1.000000e-01,1.000000e-01,1.000000e-01}>>) {
  // expected-error@+1 {{quantized along the dimension}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3x!quant.uniform<i8:f32:1, {1.000000e-01,1.000000e-01,1.000000e-01}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>
  return
}

// -----

func.func @broadcast_in_dim_dynamic(%a: tensor<3xf32>) {
  // expected-error@+1 {{result must have a static shape, or one dynamic dimension with a bound, got 'tensor<?x?xf32, #stablehlo.bounds<4, 4>>'}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<?x?xf32, #stablehlo.bounds<4, 4>>
  return
}

// -----

// CHECK-LABEL: func.func @broadcast_in_dim_bounded(
func.func @broadcast_in_dim_bounded(%a: tensor<3xf32>) {
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [0] : (tensor<3xf32>) -> tensor<?x1xf32, #stablehlo.bounds<4, ?>>
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<?x1xf32, #stablehlo.bounds<4, ?>>
  return
}
