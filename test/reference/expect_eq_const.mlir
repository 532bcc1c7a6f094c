// RUN: assay test %s

func.func @expect_eq_const_zero_signs_are_equal() {
  %a = stablehlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  check.expect_eq_const %a, dense<[-0.0, 0.0]> : tensor<2xf32>
  func.return
}
