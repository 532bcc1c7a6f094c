// RUN: assay test %s

func.func @expect_almost_eq_const_with_its_own_tolerance() {
  %a = stablehlo.constant dense<0.2> : tensor<f32>
  check.expect_almost_eq_const %a, dense<0.3> : tensor<f32>, tolerance = 0.11
  func.return
}
