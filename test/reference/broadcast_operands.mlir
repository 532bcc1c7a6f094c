// RUN: assay test %s
// chlo.broadcast_*: operands of different shapes are first broadcast to one shape. Expected values: NumPy's broadcasting.

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

// The other operations, each on a row of two and a column of two.
func.func @each_of_the_others() {
  %a = stablehlo.constant dense<[[12], [7]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %and = chlo.broadcast_and %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %and, dense<[[0, 0], [2, 3]]> : tensor<2x2xi32>
  %or = chlo.broadcast_or %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %or, dense<[[14, 15], [7, 7]]> : tensor<2x2xi32>
  %xor = chlo.broadcast_xor %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %xor, dense<[[14, 15], [5, 4]]> : tensor<2x2xi32>
  %divide = chlo.broadcast_divide %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %divide, dense<[[6, 4], [3, 2]]> : tensor<2x2xi32>
  %remainder = chlo.broadcast_remainder %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %remainder, dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>
  %maximum = chlo.broadcast_maximum %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %maximum, dense<[[12, 12], [7, 7]]> : tensor<2x2xi32>
  %minimum = chlo.broadcast_minimum %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %minimum, dense<[[2, 3], [2, 3]]> : tensor<2x2xi32>
  %shift_left = chlo.broadcast_shift_left %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_left, dense<[[48, 96], [28, 56]]> : tensor<2x2xi32>
  %shift_right_arithmetic = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_right_arithmetic, dense<[[3, 1], [1, 0]]> : tensor<2x2xi32>
  %shift_right_logical = chlo.broadcast_shift_right_logical %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_right_logical, dense<[[3, 1], [1, 0]]> : tensor<2x2xi32>
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %complex = chlo.broadcast_complex %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xcomplex<f64>>
  check.expect_eq_const %complex, dense<[[(1.0, 2.0), (1.0, 3.0)], [(2.0, 2.0), (2.0, 3.0)]]> : tensor<2x2xcomplex<f64>>
  %next = chlo.broadcast_next_after %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %next, dense<[[1.0000000000000002, 1.0000000000000002], [2.0, 2.0000000000000004]]> : tensor<2x2xf64>
  %atan2 = chlo.broadcast_atan2 %x, %y : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %angles = stablehlo.constant dense<[[0.4636476090008061, 0.3217505543966422], [0.7853981633974483, 0.5880026035475675]]> : tensor<2x2xf64>
  check.expect_close %atan2, %angles, max_ulp_difference = 1 : tensor<2x2xf64>, tensor<2x2xf64>
  // zeta(2, 1) = pi^2/6, zeta(2, 2) = pi^2/6 - 1, zeta(3, 1), zeta(3, 2) = zeta(3, 1) - 1
  %s = stablehlo.constant dense<[[2.0], [3.0]]> : tensor<2x1xf64>
  %q = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %zeta = chlo.broadcast_zeta %s, %q : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %zetas = stablehlo.constant dense<[[1.6449340668482264, 0.6449340668482264], [1.2020569031595942, 0.2020569031595942]]> : tensor<2x2xf64>
  check.expect_close %zeta, %zetas, max_ulp_difference = 8 : tensor<2x2xf64>, tensor<2x2xf64>
  // the first derivative of digamma is zeta(2, q), the second -2 zeta(3, q)
  %n = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %polygamma = chlo.broadcast_polygamma %n, %q : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %polygammas = stablehlo.constant dense<[[1.6449340668482264, 0.6449340668482264], [-2.4041138063191885, -0.4041138063191885]]> : tensor<2x2xf64>
  check.expect_close %polygamma, %polygammas, max_ulp_difference = 8 : tensor<2x2xf64>, tensor<2x2xf64>
  func.return
}

func.func @constant_of_chlo() {
  %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  func.return
}
