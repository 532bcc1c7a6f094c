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

// The largest element by a body of several operations, in strands of nine, the last of which is one short: none may read the next line.
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

// +0 is above -0, whichever comes first: 1 divided by the result shows which zero it is.
func.func @reduce_zeros_of_both_signs() {
  %x_f32 = stablehlo.constant dense<[[0.0, -0.0, -0.0], [-0.0, 0.0, -0.0]]> : tensor<2x3xf32>
  %low_f32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high_f32 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %one_f32 = stablehlo.constant dense<1.0> : tensor<3xf32>
  %most_f32 = stablehlo.reduce(%x_f32 init: %low_f32) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %least_f32 = stablehlo.reduce(%x_f32 init: %high_f32) applies stablehlo.minimum across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %above_f32 = stablehlo.divide %one_f32, %most_f32 : tensor<3xf32>
  %below_f32 = stablehlo.divide %one_f32, %least_f32 : tensor<3xf32>
  check.expect_eq_const %above_f32, dense<[0x7F800000, 0x7F800000, 0xFF800000]> : tensor<3xf32>
  check.expect_eq_const %below_f32, dense<[0xFF800000, 0xFF800000, 0xFF800000]> : tensor<3xf32>
  %two_f32 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %row_f32 = stablehlo.reduce(%x_f32 init: %low_f32) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %over_f32 = stablehlo.divide %two_f32, %row_f32 : tensor<2xf32>
  check.expect_eq_const %over_f32, dense<0x7F800000> : tensor<2xf32>
  %negative_f32 = stablehlo.negate %x_f32 : tensor<2x3xf32>
  %floor_f32 = stablehlo.reduce(%negative_f32 init: %high_f32) applies stablehlo.minimum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %under_f32 = stablehlo.divide %two_f32, %floor_f32 : tensor<2xf32>
  check.expect_eq_const %under_f32, dense<0xFF800000> : tensor<2xf32>
  %x_f64 = stablehlo.constant dense<[[0.0, -0.0, -0.0], [-0.0, 0.0, -0.0]]> : tensor<2x3xf64>
  %low_f64 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high_f64 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %one_f64 = stablehlo.constant dense<1.0> : tensor<3xf64>
  %most_f64 = stablehlo.reduce(%x_f64 init: %low_f64) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<3xf64>
  %least_f64 = stablehlo.reduce(%x_f64 init: %high_f64) applies stablehlo.minimum across dimensions = [0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<3xf64>
  %above_f64 = stablehlo.divide %one_f64, %most_f64 : tensor<3xf64>
  %below_f64 = stablehlo.divide %one_f64, %least_f64 : tensor<3xf64>
  check.expect_eq_const %above_f64, dense<[0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<3xf64>
  check.expect_eq_const %below_f64, dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000]> : tensor<3xf64>
  %two_f64 = stablehlo.constant dense<1.0> : tensor<2xf64>
  %row_f64 = stablehlo.reduce(%x_f64 init: %low_f64) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
  %over_f64 = stablehlo.divide %two_f64, %row_f64 : tensor<2xf64>
  check.expect_eq_const %over_f64, dense<0x7FF0000000000000> : tensor<2xf64>
  %negative_f64 = stablehlo.negate %x_f64 : tensor<2x3xf64>
  %floor_f64 = stablehlo.reduce(%negative_f64 init: %high_f64) applies stablehlo.minimum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
  %under_f64 = stablehlo.divide %two_f64, %floor_f64 : tensor<2xf64>
  check.expect_eq_const %under_f64, dense<0xFFF0000000000000> : tensor<2xf64>
  %x_bf16 = stablehlo.constant dense<[[0.0, -0.0, -0.0], [-0.0, 0.0, -0.0]]> : tensor<2x3xbf16>
  %low_bf16 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %high_bf16 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %one_bf16 = stablehlo.constant dense<1.0> : tensor<3xbf16>
  %most_bf16 = stablehlo.reduce(%x_bf16 init: %low_bf16) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
  %least_bf16 = stablehlo.reduce(%x_bf16 init: %high_bf16) applies stablehlo.minimum across dimensions = [0] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
  %above_bf16 = stablehlo.divide %one_bf16, %most_bf16 : tensor<3xbf16>
  %below_bf16 = stablehlo.divide %one_bf16, %least_bf16 : tensor<3xbf16>
  check.expect_eq_const %above_bf16, dense<[0x7F80, 0x7F80, 0xFF80]> : tensor<3xbf16>
  check.expect_eq_const %below_bf16, dense<[0xFF80, 0xFF80, 0xFF80]> : tensor<3xbf16>
  %two_bf16 = stablehlo.constant dense<1.0> : tensor<2xbf16>
  %row_bf16 = stablehlo.reduce(%x_bf16 init: %low_bf16) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
  %over_bf16 = stablehlo.divide %two_bf16, %row_bf16 : tensor<2xbf16>
  check.expect_eq_const %over_bf16, dense<0x7F80> : tensor<2xbf16>
  %negative_bf16 = stablehlo.negate %x_bf16 : tensor<2x3xbf16>
  %floor_bf16 = stablehlo.reduce(%negative_bf16 init: %high_bf16) applies stablehlo.minimum across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
  %under_bf16 = stablehlo.divide %two_bf16, %floor_bf16 : tensor<2xbf16>
  check.expect_eq_const %under_bf16, dense<0xFF80> : tensor<2xbf16>
  func.return
}

// argmax as JAX writes it: the first NaN; else the last of equal values and the smallest of their places.
func.func @reduce_to_a_place() {
  %x = stablehlo.constant dense<[[1.0, 0x7FC00000, 3.0, 0xFFC00001], [2.0, -0.0, 0.0, -0.0], [-5.0, 0xFF800000, 7.0, 7.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<4x4xf32>
  %i = stablehlo.constant dense<[[0, 1, 2, 3], [-9, 1, 2, 3], [0, 1, 3, 2], [4, 3, 2, 1]]> : tensor<4x4xi64>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<4x4xf32>, tensor<4x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xi64>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i64>, %k: tensor<i64>) {
    %more = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %better = stablehlo.or %more, %nan : tensor<i1>
    %same = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %before = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %tie = stablehlo.and %same, %before : tensor<i1>
    %first = stablehlo.or %better, %tie : tensor<i1>
    %value = stablehlo.select %better, %a, %b : tensor<i1>, tensor<f32>
    %place = stablehlo.select %first, %j, %k : tensor<i1>, tensor<i64>
    stablehlo.return %value, %place : tensor<f32>, tensor<i64>
  }
  check.expect_eq_const %r#0, dense<[0x7FC00000, 2.0, 7.0, 0xFF800000]> : tensor<4xf32>
  check.expect_eq_const %r#1, dense<[1, -9, 2, 0]> : tensor<4xi64>
  func.return
}

// argmin, of columns; the smallest value has the smallest key.
func.func @reduce_to_the_place_of_the_smallest() {
  %x = stablehlo.constant dense<[[3, 0], [-128, 0], [-128, 1]]> : tensor<3x2xi8>
  %i = stablehlo.iota dim = 0 : tensor<3x2xi32>
  %high = stablehlo.constant dense<127> : tensor<i8>
  %zero = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %high), (%i init: %zero) across dimensions = [0] : (tensor<3x2xi8>, tensor<3x2xi32>, tensor<i8>, tensor<i32>) -> (tensor<2xi8>, tensor<2xi32>)
   reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
    %less = stablehlo.compare GT, %b, %a, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %same = stablehlo.compare EQ, %b, %a, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %before = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %before, %same : tensor<i1>
    %first = stablehlo.or %tie, %less : tensor<i1>
    %value = stablehlo.select %less, %a, %b : tensor<i1>, tensor<i8>
    %place = stablehlo.select %first, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i8>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<[-128, 0]> : tensor<2xi8>
  check.expect_eq_const %r#1, dense<[1, 0]> : tensor<2xi32>
  func.return
}
