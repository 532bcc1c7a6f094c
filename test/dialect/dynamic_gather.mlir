// dynamic_gather: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_gather(
func.func @dynamic_gather(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %s: tensor<2xi64>) {
  // CHECK: "stablehlo.dynamic_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<2xi64>) -> tensor<4x?xf32>
  %r0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<2xi64>) -> tensor<4x?xf32>
  return
}

// -----

func.func @dynamic_gather_c11(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{'slice_sizes' must have 2 elements, got 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<3xi64>) -> tensor<4x?xf32>
  return
}

// -----

func.func @dynamic_gather_c2(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'index_vector_dim' must be within}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1>}> : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<2xi64>) -> tensor<4x?xf32>
  return
}

// -----

func.func @dynamic_gather_c9(%a: tensor<?x?x2xi32>, %i: tensor<?x?x?xi32>) {
  %sizes = stablehlo.constant dense<[2, 1, 1]> : tensor<3xi32>
  // expected-error@+1 {{'slice_sizes' must be at most 1 in the collapsed or batching dimension 0, got 2}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<?x?x2xi32>, tensor<?x?x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

func.func @dynamic_gather_c12(%a: tensor<?x?x2xi32>, %i: tensor<?x?xi32>) {
  %sizes = stablehlo.constant dense<[2, 1, 1]> : tensor<3xi32>
  // expected-error@+1 {{'slice_sizes' must be at most 1 in the collapsed or batching dimension 0, got 2}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>}> : (tensor<?x?x2xi32>, tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

func.func @dynamic_gather_c21(%a: tensor<?x?x2xi32>, %i: tensor<?x?x?xi32>) {
  %sizes = stablehlo.constant dense<[1, 1, 8]> : tensor<3xi32>
  // expected-error@+1 {{'slice_sizes' must be within [0, 2] in dimension 2, got 8}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<?x?x2xi32>, tensor<?x?x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

func.func @dynamic_gather_c21_negative(%a: tensor<?x?x2xi32>, %i: tensor<?x?x?xi32>) {
  %sizes = stablehlo.constant dense<[1, 1, -1]> : tensor<3xi32>
  // expected-error@+1 {{'slice_sizes' must not be negative, got array<i64: 1, 1, -1>}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<?x?x2xi32>, tensor<?x?x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}
