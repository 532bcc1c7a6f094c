// dynamic_update_slice: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_update_slice(
func.func @dynamic_update_slice(%a: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // CHECK: stablehlo.dynamic_update_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  %r0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%a: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{result must have shape [4]}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%a: tensor<4xf32>, %u: tensor<2xi32>, %i: tensor<i32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xi32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3(%a: tensor<4xf32>, %u: tensor<1x2xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{must have 1 elements, got 2}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<1x2xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c4(%a: tensor<4xf32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{'start_indices' must have 1 elements, got 0}}
  %0 = stablehlo.dynamic_update_slice %a, %u : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c6(%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{must be within [0, 4] in dimension 0, got 5}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}
