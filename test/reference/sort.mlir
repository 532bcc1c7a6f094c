// RUN: assay test %s

func.func @sort_i64_spec_example() {
  %input0 = stablehlo.constant dense<[[1, 2, 3], [3, 2, 1]]> : tensor<2x3xi64>
  %input1 = stablehlo.constant dense<[[3, 2, 1], [1, 2, 3]]> : tensor<2x3xi64>
  %result0, %result1 = "stablehlo.sort"(%input0, %input1) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %greater = stablehlo.compare GT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %greater : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>)
  check.expect_eq_const %result0, dense<[[3, 2, 3], [1, 2, 1]]> : tensor<2x3xi64>
  check.expect_eq_const %result1, dense<[[1, 2, 1], [3, 2, 3]]> : tensor<2x3xi64>
  func.return
}

func.func @sort_is_stable() {
  %keys = stablehlo.constant dense<[1, 0, 1, 0, 1, 0, 0]> : tensor<7xi32>
  %index = stablehlo.iota dim = 0 : tensor<7xi32>
  %sorted, %order = "stablehlo.sort"(%keys, %index) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<7xi32>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>)
  check.expect_eq_const %order, dense<[1, 3, 5, 6, 0, 2, 4]> : tensor<7xi32>
  func.return
}

func.func @sort_nan_ends_and_total_order_puts_it_last() {
  %input = stablehlo.constant dense<[2.0, 0x7FC00000, -0.0, 0.0, -1.0]> : tensor<5xf32>
  %result = "stablehlo.sort"(%input) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-1.0, -0.0, 0.0, 2.0, 0x7FC00000]> : tensor<5xf32>
  %plain = "stablehlo.sort"(%input) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  %finite = stablehlo.is_finite %plain : (tensor<5xf32>) -> tensor<5xi1>
  %count = stablehlo.convert %finite : (tensor<5xi1>) -> tensor<5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %total = stablehlo.reduce(%count init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %total, dense<4> : tensor<i32>
  func.return
}

// Order by a, then by b from the largest; `b > a` is `a < b`.
func.func @sort_by_two_keys() {
  %a = stablehlo.constant dense<[2.0, -0.0, 1.0, 0.0, 2.0]> : tensor<5xf32>
  %b = stablehlo.constant dense<[1, 7, 5, 9, 3]> : tensor<5xui8>
  %r0, %r1 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%a0: tensor<f32>, %a1: tensor<f32>, %b0: tensor<ui8>, %b1: tensor<ui8>):
    %less = stablehlo.compare GT, %a1, %a0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %a0, %a1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %next = stablehlo.compare GT, %b0, %b1, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %both = stablehlo.and %next, %same : tensor<i1>
    %first = stablehlo.or %both, %less : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5xf32>, tensor<5xui8>) -> (tensor<5xf32>, tensor<5xui8>)
  check.expect_eq_const %r0, dense<[0.0, -0.0, 1.0, 2.0, 2.0]> : tensor<5xf32>
  check.expect_eq_const %r1, dense<[9, 7, 5, 3, 1]> : tensor<5xui8>
  func.return
}

func.func @sort_by_a_function_of_the_elements() {
  %input = stablehlo.constant dense<[[3, -4], [-1, 2], [2, -2]]> : tensor<3x2xi32>
  %result = "stablehlo.sort"(%input) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %x = stablehlo.abs %a : tensor<i32>
    %y = stablehlo.abs %b : tensor<i32>
    %less = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %result, dense<[[-1, 2], [2, -2], [3, -4]]> : tensor<3x2xi32>
  func.return
}

// Different functions of the left and the right element are not keys.
func.func @sort_by_an_order_that_is_none() {
  %input = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %result = "stablehlo.sort"(%input) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %x = stablehlo.negate %a : tensor<i32>
    %less = stablehlo.compare LT, %x, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[2, 1, 3]> : tensor<3xi32>
  func.return
}
