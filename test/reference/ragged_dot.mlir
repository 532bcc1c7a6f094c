// RUN: assay test %s

// Rows 0 and 1 times the first matrix, row 2 times the second; row 3 is in no group.
func.func @groups_of_rows() {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %rhs = stablehlo.constant dense<[[[1, 0, 1], [0, 1, 1]], [[2, 0, 1], [0, 2, -1]]]> : tensor<2x2x3xi32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %result = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xi32>, tensor<2x2x3xi32>, tensor<2xi64>) -> tensor<4x3xi32>
  check.expect_eq_const %result, dense<[[1, 2, 3], [3, 4, 7], [10, 12, -1], [0, 0, 0]]> : tensor<4x3xi32>
  func.return
}

// Each batch has its own group sizes.
func.func @sizes_for_each_batch() {
  %lhs = stablehlo.constant dense<[[[1], [2], [3]], [[4], [5], [6]]]> : tensor<2x3x1xi32>
  %rhs = stablehlo.constant dense<[[[[10]], [[20]]], [[[100]], [[200]]]]> : tensor<2x2x1x1xi32>
  %sizes = stablehlo.constant dense<[[1, 2], [3, 0]]> : tensor<2x2xi64>
  %result = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x3x1xi32>, tensor<2x2x1x1xi32>, tensor<2x2xi64>) -> tensor<2x3x1xi32>
  check.expect_eq_const %result, dense<[[[10], [200], [300]], [[80], [100], [120]]]> : tensor<2x3x1xi32>
  func.return
}
