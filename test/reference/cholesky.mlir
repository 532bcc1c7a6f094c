// RUN: assay test %s

func.func @cholesky_f32_spec_example() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]]> : tensor<3x3xf32>
  %lower = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  check.expect_eq_const %lower, dense<[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %upper = stablehlo.cholesky %a, lower = false : tensor<3x3xf32>
  check.expect_eq_const %upper, dense<[[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf32>
  func.return
}

func.func @cholesky_not_positive_definite_gives_nan() {
  %a = stablehlo.constant dense<[[-1.0]]> : tensor<1x1xf32>
  %result = stablehlo.cholesky %a, lower = true : tensor<1x1xf32>
  check.expect_eq_const %result, dense<0x7FC00000> : tensor<1x1xf32>
  func.return
}
