// RUN: assay test %s

func.func @expect_eq_nan_equals_nan() {
  %a = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  check.expect_eq %a, %a : tensor<2xf32>
  func.return
}

func.func @expect_eq_bitwise() {
  %a = stablehlo.constant dense<[0x7FC00001, 0xFFC00000, -0.0]> : tensor<3xf32>
  check.expect_eq %a, %a {bitwise} : tensor<3xf32>
  check.expect_eq_const %a, dense<[0x7FC00001, 0xFFC00000, -0.0]> : tensor<3xf32> {bitwise}
  func.return
}
