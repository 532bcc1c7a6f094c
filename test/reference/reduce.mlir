// RUN: assay test %s

func.func @reduce_i64_spec_example() {
  %input = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>
  %init = stablehlo.constant dense<0> : tensor<i64>
  %result = stablehlo.reduce(%input init: %init) applies stablehlo.add across dimensions = [1] : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  check.expect_eq_const %result, dense<[15]> : tensor<1xi64>
  func.return
}

func.func @reduce_simple_bodies_over_every_axis() {
  %input = stablehlo.constant dense<[[3, -1, 2], [7, 5, -8]]> : tensor<2x3xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %max0 = stablehlo.reduce(%input init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %max0, dense<[7, 5, 2]> : tensor<3xi32>
  %product = stablehlo.reduce(%input init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %product, dense<[-6, -280]> : tensor<2xi32>
  %all = stablehlo.reduce(%input init: %zero) applies stablehlo.xor across dimensions = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %all, dense<4> : tensor<i32>
  func.return
}

func.func @reduce_f32_sum_is_rounded_once() {
  // 1 + 64 * 2^-24: added one by one in f32 every small term is lost
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %small = stablehlo.constant dense<5.9604644775390625e-08> : tensor<64xf32>
  %input = stablehlo.concatenate %one, %small, dim = 0 : (tensor<1xf32>, tensor<64xf32>) -> tensor<65xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %result = stablehlo.reduce(%input init: %init) applies stablehlo.add across dimensions = [0] : (tensor<65xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<1.00000381> : tensor<f32>
  func.return
}

func.func @reduce_maximum_keeps_nan_and_the_initial_value() {
  %input = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<9.0> : tensor<f32>
  %nan = stablehlo.reduce(%input init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %nan, dense<0x7FC00000> : tensor<f32>
  %empty = stablehlo.constant dense<> : tensor<0xf32>
  %kept = stablehlo.reduce(%empty init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %kept, dense<9.0> : tensor<f32>
  func.return
}

func.func @reduce_variadic_argmax_keeps_the_first() {
  %input = stablehlo.constant dense<[[1.0, 5.0, 5.0], [4.0, 2.0, 4.0]]> : tensor<2x3xf32>
  %index = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %value, %at = stablehlo.reduce(%input init: %low), (%index init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %greater = stablehlo.compare GT, %b, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %greater, %b, %a : tensor<i1>, tensor<f32>
    %k = stablehlo.select %greater, %j, %i : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %value, dense<[5.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %at, dense<[1, 0]> : tensor<2xi32>
  func.return
}

func.func @reduce_with_control_flow_in_its_body() {
  %input = stablehlo.constant dense<[3, 9, 4]> : tensor<3xi32>
  %init = stablehlo.constant dense<0> : tensor<i32>
  %result = stablehlo.reduce(%input init: %init) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      stablehlo.return %b : tensor<i32>
    }, {
      stablehlo.return %a : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }
  check.expect_eq_const %result, dense<9> : tensor<i32>
  func.return
}

// The largest by several operations, in strands of nine of which the last is one short: none reads the next line.
func.func @reduce_lines_of_seventeen_by_a_body() {
  %i = stablehlo.iota dim = 1 : tensor<3x17xi32>
  %line = stablehlo.iota dim = 0 : tensor<3x17xi32>
  %hundred = stablehlo.constant dense<100> : tensor<3x17xi32>
  %high = stablehlo.multiply %line, %hundred : tensor<3x17xi32>
  %x = stablehlo.add %i, %high : tensor<3x17xi32>
  %low = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %above = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %most = stablehlo.select %above, %a, %b : tensor<i1>, tensor<i32>
      stablehlo.return %most : tensor<i32>
  }) : (tensor<3x17xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[16, 116, 216]> : tensor<3xi32>
  func.return
}
