// RUN: assay test %s

func.func @dot_general_i64_spec_example() {
  %lhs = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi64>
  %rhs = stablehlo.constant dense<[[[1, 0], [0, 1]], [[1, 0], [0, 1]]]> : tensor<2x2x2xi64>
  %result = stablehlo.dot_general %lhs, %rhs, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
  check.expect_eq_const %result, dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi64>
  func.return
}

func.func @dot_general_empty_contraction_is_zero() {
  %lhs = stablehlo.constant dense<> : tensor<2x0xf32>
  %rhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %result, dense<0.0> : tensor<2x3xf32>
  func.return
}

func.func @dot_general_bf16_sums_wide_and_rounds_once() {
  // 1 + 256 * 2^-8: in bf16 step by step the small terms vanish when added to 1 (its spacing is 2^-7)
  %lhs = stablehlo.constant dense<1.0> : tensor<257xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<1xbf16>
  %small = stablehlo.constant dense<0.00390625> : tensor<256xbf16>
  %rhs = stablehlo.concatenate %one, %small, dim = 0 : (tensor<1xbf16>, tensor<256xbf16>) -> tensor<257xbf16>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [0] x [0] : (tensor<257xbf16>, tensor<257xbf16>) -> tensor<bf16>
  check.expect_eq_const %result, dense<2.0> : tensor<bf16>
  func.return
}

func.func @dot_general_f64_cancellation_is_exact() {
  %lhs = stablehlo.constant dense<[1.0e16, 1.0, -1.0e16]> : tensor<3xf64>
  %rhs = stablehlo.constant dense<1.0> : tensor<3xf64>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [0] x [0] : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  check.expect_eq_const %result, dense<1.0> : tensor<f64>
  func.return
}

func.func @dot_general_complex_and_bool() {
  %lhs = stablehlo.constant dense<[(1.0, 2.0), (3.0, -1.0)]> : tensor<2xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(0.0, 1.0), (2.0, 2.0)]> : tensor<2xcomplex<f32>>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [0] x [0] : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
  check.expect_eq_const %result, dense<(6.0, 5.0)> : tensor<complex<f32>>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %q = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %any = stablehlo.dot_general %p, %q, contracting_dims = [0] x [0] : (tensor<2xi1>, tensor<2xi1>) -> tensor<i1>
  check.expect_eq_const %any, dense<true> : tensor<i1>
  func.return
}

func.func @dot_general_s8_wraps_into_s8_and_widens_into_s32() {
  %lhs = stablehlo.constant dense<100> : tensor<3xi8>
  %wide = stablehlo.dot_general %lhs, %lhs, contracting_dims = [0] x [0] : (tensor<3xi8>, tensor<3xi8>) -> tensor<i32>
  check.expect_eq_const %wide, dense<30000> : tensor<i32>
  %narrow = stablehlo.dot_general %lhs, %lhs, contracting_dims = [0] x [0] : (tensor<3xi8>, tensor<3xi8>) -> tensor<i8>
  check.expect_eq_const %narrow, dense<48> : tensor<i8>
  func.return
}

func.func @dot_general_f64_with_an_infinity() {
  %lhs = stablehlo.constant dense<[[0x7FF0000000000000, 1.0, 2.0], [0xFFF0000000000000, 0.5, 1.0]]> : tensor<2x3xf64>
  %rhs = stablehlo.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf64>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[0x7FF0000000000000, 0xFFF0000000000000]> : tensor<2xf64>
  func.return
}
