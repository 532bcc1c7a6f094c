// dynamic_broadcast_in_dim: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_broadcast_in_dim(
func.func @dynamic_broadcast_in_dim(%a: tensor<?xf32>, %s: tensor<2xindex>) {
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [1] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %r0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c2(%a: tensor<?xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{must have 1 elements}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c7(%a: tensor<?xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{'output_dimensions' must have 2 elements, got 3}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<?xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c8(%a: tensor<?xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{must not repeat}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c9(%a: tensor<?xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'known_expanding_dimensions' must be within}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_expanding_dimensions = array<i64: 1>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c10(%a: tensor<?xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'known_nonexpanding_dimensions' must be within}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c5_of_a_known_shape(%a: tensor<1x3xi32>) {
  %s = stablehlo.constant dense<[2, 1, 1]> : tensor<3xi32>
  // expected-error@+1 {{dimensions of the operand must be 1 or what the shape operand says, 1, got 3}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<1x3xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}
