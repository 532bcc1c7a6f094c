// gather: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gather(
func.func @gather(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %a1: tensor<4x3xf32>, %i1: tensor<4x1xi32>) {
  // CHECK: "stablehlo.gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  %r0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  // CHECK: "stablehlo.gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  %r1 = "stablehlo.gather"(%a1, %i1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c1(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must name 2 dimensions together, got 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c2(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'index_vector_dim' must be within [0, 2], got 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c3(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'start_index_map' must have 1 elements, got 2}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c4(%a: tensor<5x3x2xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'offset_dims' must be sorted}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<5x3x2xf32>, tensor<4x1xi32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @gather_c5(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'offset_dims' must be within [0, 2)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c6(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must not share a dimension}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_c8(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'collapsed_slice_dims' must be within [0, 2)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c9(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must be at most 1 in the collapsed or batching dimension 0}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c12(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must be at most 1 in the collapsed or batching dimension}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c14(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'start_indices_batching_dims' must be within [0, 2)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c15(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must not contain 'index_vector_dim'}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c16(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must have as many elements, got 1 and 0}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c17(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{batching dimensions must have one size, got 5 and 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c18(%a: tensor<4x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'start_index_map' and 'operand_batching_dims' must not share a dimension}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c19(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'start_index_map' must be within [0, 2)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c20(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'slice_sizes' must have 2 elements, got 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c21(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{'slice_sizes' must be within [0, 3] in dimension 1, got 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c22(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{result must have shape [4, 3], got [3, 4]}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c23(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @gather_field(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{unknown field 'offsets', expected one of offset_dims}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offsets = [1]>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_field_twice(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error@+1 {{field 'offset_dims' is given twice}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}
