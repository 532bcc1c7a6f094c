// RUN: assay test %s

func.func @reduce_window_i64_spec_example() {
  %input = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %init = stablehlo.constant dense<0> : tensor<i64>
  %result = "stablehlo.reduce_window"(%input, %init) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %sum = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  check.expect_eq_const %result, dense<[[0, 0], [3, 4]]> : tensor<2x2xi64>
  func.return
}

func.func @reduce_window_general_body_sees_the_initial_value_in_padding() {
  %input = stablehlo.constant dense<[5.0, 1.0, 4.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<2.0> : tensor<f32>
  %result = "stablehlo.reduce_window"(%input, %init) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %least = stablehlo.select %less, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %least : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[2.0, 1.0, 1.0]> : tensor<3xf32>
  func.return
}

// A short form of JAX's cumlogsumexp: of two initial values the body
// makes inf - inf. Expected: numpy.logaddexp.accumulate.
func.func @reduce_window_leaves_padding_out_that_makes_nan() {
  %input = stablehlo.constant dense<[1.0, 0.0, 3.0]> : tensor<3xf64>
  %init = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %result = "stablehlo.reduce_window"(%input, %init) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %most = stablehlo.maximum %a, %b : tensor<f64>
    %least = stablehlo.minimum %a, %b : tensor<f64>
    %apart = stablehlo.subtract %least, %most : tensor<f64>
    %power = stablehlo.exponential %apart : tensor<f64>
    %log = stablehlo.log_plus_one %power : tensor<f64>
    %sum = stablehlo.add %most, %log : tensor<f64>
    stablehlo.return %sum : tensor<f64>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  check.expect_almost_eq_const %result, dense<[1.0, 1.3132616875182228, 3.1698460195562856]> : tensor<3xf64>
  func.return
}

// Running reductions: windows as long as a dimension. Expected: numpy.add.accumulate, by hand where
// padding takes part.
func.func @reduce_window_running_sums() {
  %input = stablehlo.constant dense<[[5, 1, 4], [2, 0, 7]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %right = "stablehlo.reduce_window"(%input, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %right, dense<[[5, 6, 10], [2, 2, 9]]> : tensor<2x3xi32>
  %up = "stablehlo.reduce_window"(%input, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %up, dense<[[7, 1, 11], [2, 0, 7]]> : tensor<2x3xi32>
  %padded = "stablehlo.reduce_window"(%input, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %padded, dense<[[8, 8, 11], [5, 4, 10]]> : tensor<2x3xi32>
  func.return
}

// The first of each pair: the body is not commutative, -1 is its neutral value.
func.func @reduce_window_running_reductions_keep_the_order() {
  %input = stablehlo.constant dense<[5, 1, 4]> : tensor<3xi32>
  %init = stablehlo.constant dense<-1> : tensor<i32>
  %left = "stablehlo.reduce_window"(%input, %init) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %free = stablehlo.compare EQ, %a, %none, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.select %free, %b, %a : tensor<i1>, tensor<i32>
    stablehlo.return %first : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %left, dense<[5, 1, 4]> : tensor<3xi32>
  %right = "stablehlo.reduce_window"(%input, %init) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %free = stablehlo.compare EQ, %a, %none, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.select %free, %b, %a : tensor<i1>, tensor<i32>
    stablehlo.return %first : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %right, dense<[5, 5, 5]> : tensor<3xi32>
  func.return
}
