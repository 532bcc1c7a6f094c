// RUN: assay test %s

func.func @expect_close_counts_ulps() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<1.00000024> : tensor<f32>
  check.expect_close %a, %b, max_ulp_difference = 2, min_ulp_difference = 2 : tensor<f32>, tensor<f32>
  func.return
}
