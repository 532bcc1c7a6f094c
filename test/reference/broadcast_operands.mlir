// RUN: assay test %s
// chlo.broadcast_*: operands of different shapes are brought to one shape first. Expected values: NumPy's broadcasting.

func.func @add_trailing() {
  %lhs = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rhs = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %result = chlo.broadcast_add %lhs, %rhs : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  func.return
}

func.func @subtract_size_one() {
  %lhs = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[0.5, 1.0, 1.5]]> : tensor<1x3xf32>
  %result = chlo.broadcast_subtract %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %result, dense<[[0.5, 0.0, -0.5], [1.5, 1.0, 0.5]]> : tensor<2x3xf32>
  func.return
}

func.func @multiply_dimensions() {
  %lhs = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rhs = stablehlo.constant dense<[10, 100]> : tensor<2xi32>
  %result = chlo.broadcast_multiply %lhs, %rhs {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[10, 20, 30], [400, 500, 600]]> : tensor<2x3xi32>
  func.return
}

func.func @power_scalar() {
  %lhs = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<2.0> : tensor<f32>
  %result = chlo.broadcast_power %lhs, %rhs : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[1.0, 4.0, 9.0]> : tensor<3xf32>
  func.return
}

func.func @compare_both_grow() {
  %lhs = stablehlo.constant dense<[[1], [5]]> : tensor<2x1xi8>
  %rhs = stablehlo.constant dense<[0, 3]> : tensor<2xi8>
  %result = chlo.broadcast_compare %lhs, %rhs {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x1xi8>, tensor<2xi8>) -> tensor<2x2xi1>
  check.expect_eq_const %result, dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  func.return
}

func.func @select_scalar_predicate() {
  %pred = stablehlo.constant dense<true> : tensor<i1>
  %on_true = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %on_false = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %result = chlo.broadcast_select %pred, %on_true, %on_false : (tensor<i1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[1, 2]> : tensor<2xi32>
  func.return
}
