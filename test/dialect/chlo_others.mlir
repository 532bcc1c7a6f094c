// constant, constant_like, top_k, ragged_dot and scan of chlo: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chlo_others(
func.func @chlo_others(%l: tensor<?xi64>, %t: tensor<4x16xf32>, %a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>, %a2: tensor<2x3xf32>, %b2: tensor<3xf32>) {
  // CHECK: chlo.constant dense<1> : tensor<2xi32>
  %r0 = chlo.constant dense<1> : tensor<2xi32>
  // CHECK: "chlo.constant_like"(%{{[^ ,:)]+}}) <{value = 3.200000e+00 : f32}> : (tensor<?xi64>) -> tensor<?xf32>
  %r1 = "chlo.constant_like"(%l) <{value = 3.200000e+00 : f32}> : (tensor<?xi64>) -> tensor<?xf32>
  // CHECK: chlo.top_k(%{{[^ ,:)]+}}, k = 8) : tensor<4x16xf32> -> (tensor<4x8xf32>, tensor<4x8xi32>)
  %r2:2 = chlo.top_k(%t, k = 8) : tensor<4x16xf32> -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: "chlo.ragged_dot"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  %r3 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  // CHECK: chlo.scan (%{{[^ ,:)]+}}) inits (%{{[^ ,:)]+}}) dimension = 0 attributes {is_reverse = true} {
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<3xf32>, %{{[^ ,:)]+}}: tensor<3xf32>):
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<3xf32>, tensor<3xf32>
  // CHECK-NEXT: } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  %r4:2 = chlo.scan (%a2) inits (%b2) dimension = 0 attributes {is_reverse = true} {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<3xf32>):
    stablehlo.return %in, %in : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{literal must have type}}
  %0 = "chlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @constant_like_type(%a: tensor<2xi64>) {
  // expected-error@+1 {{'value' must have type 'i32'}}
  %0 = "chlo.constant_like"(%a) <{value = 3.2 : f32}> : (tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @top_k_large(%t: tensor<4x16xf32>) {
  // expected-error@+1 {{'k' must be within [0, 16]}}
  %0:2 = chlo.top_k(%t, k = 17) : tensor<4x16xf32> -> (tensor<4x17xf32>, tensor<4x17xi32>)
  return
}

// -----

func.func @top_k_scalar(%t: tensor<f32>) {
  // expected-error@+1 {{must have rank 1 or more}}
  %0:2 = chlo.top_k(%t, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @ragged_dot_groups(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<4xi64>) {
  // expected-error@+1 {{group dimension of rhs must have size 4, got 3}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_dot_ragged(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{'lhs_ragged_dimensions' must have 1 elements, got 2}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_dot_result(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{result must have shape [11, 7]}}
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<7x11xf32>
  return
}

// -----

func.func @scan_length(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{inputs must have 5 slices, got 2}}
  %0:2 = chlo.scan (%a) inits (%b) dimension = 0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<3xf32>):
    stablehlo.return %in, %in : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @scan_body(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{arguments of region 'body'}}
  %0:2 = chlo.scan (%a) inits (%b) dimension = 0 {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<4xf32>):
    stablehlo.return %in, %in : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @scan_outputs(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{outputs must have 2 slices, got 7}}
  %0:2 = chlo.scan (%a) inits (%b) dimension = 0 {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<3xf32>):
    stablehlo.return %in, %in : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<7x3xf32>, tensor<3xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @unranked(
func.func @unranked(%a: tensor<*xf32>) {
  // CHECK: chlo.top_k(%{{[^ ,:)]+}}, k = 8) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
  %0:2 = chlo.top_k(%a, k = 8) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
  return
}
