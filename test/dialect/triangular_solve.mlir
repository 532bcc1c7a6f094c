// triangular_solve: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @triangular_solve(
func.func @triangular_solve(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // CHECK: "stablehlo.triangular_solve"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %r0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @triangular_solve_c1(%a: tensor<4x4xf32>, %b: tensor<4x3xf64>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @triangular_solve_c2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{must have one rank, at least 2}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @triangular_solve_c3(%a: tensor<4x4xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{must be a square matrix that fits 'b'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @triangular_solve_c4(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{result must have shape [4, 3]}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @triangular_solve_i6(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{'transpose_a' must be}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}
