// RUN: assay test %s

func.func @expect_almost_eq_within_tolerance() {
  %a = stablehlo.constant dense<0.2> : tensor<f32>
  %b = stablehlo.constant dense<0.19995> : tensor<f32>
  check.expect_almost_eq %a, %b : tensor<f32>
  func.return
}
