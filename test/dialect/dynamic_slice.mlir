// dynamic_slice: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_slice(
func.func @dynamic_slice(%a: tensor<3x4xi32>, %i: tensor<i64>) {
  %scalar = stablehlo.constant dense<3.0> : tensor<f64>
  // Without indices upstream's printer leaves a comma that its parser refuses; JAX writes it.
  // CHECK: stablehlo.dynamic_slice %{{.*}}, , sizes = [] : (tensor<f64>) -> tensor<f64>
  %none = stablehlo.dynamic_slice %scalar, , sizes = [] : (tensor<f64>) -> tensor<f64>
  // CHECK: stablehlo.dynamic_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, sizes = [1, 4] : (tensor<3x4xi32>, tensor<i64>, tensor<i64>) -> tensor<1x4xi32>
  %r0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 4] : (tensor<3x4xi32>, tensor<i64>, tensor<i64>) -> tensor<1x4xi32>
  return
}

// -----

func.func @dynamic_slice_c1(%a: tensor<4xi32>, %i: tensor<i64>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<4xi32>, tensor<i64>) -> tensor<1xf32>
  return
}

// -----

func.func @dynamic_slice_c2(%a: tensor<4xi32>, %i: tensor<i64>) {
  // expected-error@+1 {{'start_indices' must have 1 elements, got 2}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1] : (tensor<4xi32>, tensor<i64>, tensor<i64>) -> tensor<1xi32>
  return
}

// -----

func.func @dynamic_slice_c3(%a: tensor<4x4xi32>, %i: tensor<i64>, %j: tensor<i32>) {
  // expected-error@+1 {{'start_indices' must have one type}}
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 1] : (tensor<4x4xi32>, tensor<i64>, tensor<i32>) -> tensor<1x1xi32>
  return
}

// -----

func.func @dynamic_slice_c4(%a: tensor<4xi32>, %i: tensor<i64>) {
  // expected-error@+1 {{'slice_sizes' must be within [0, 4] in dimension 0, got 5}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<4xi32>, tensor<i64>) -> tensor<5xi32>
  return
}

// -----

func.func @dynamic_slice_c5(%a: tensor<4xi32>, %i: tensor<i64>) {
  // expected-error@+1 {{result must have shape [2], got [3]}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, tensor<i64>) -> tensor<3xi32>
  return
}
