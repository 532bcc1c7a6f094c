// RUN: assay test %s

func.func @iota_i32_spec_example() {
  %rows = stablehlo.iota dim = 0 : tensor<4x5xi32>
  check.expect_eq_const %rows, dense<[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]> : tensor<4x5xi32>
  %columns = stablehlo.iota dim = 1 : tensor<2x5xi32>
  check.expect_eq_const %columns, dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]> : tensor<2x5xi32>
  func.return
}

func.func @iota_float_complex_and_narrow_types() {
  %bf16 = stablehlo.iota dim = 0 : tensor<3xbf16>
  check.expect_eq_const %bf16, dense<[0.0, 1.0, 2.0]> : tensor<3xbf16>
  %complex = stablehlo.iota dim = 0 : tensor<2xcomplex<f32>>
  check.expect_eq_const %complex, dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f32>>
  %ui8 = stablehlo.iota dim = 0 : tensor<3xui8>
  check.expect_eq_const %ui8, dense<[0, 1, 2]> : tensor<3xui8>
  func.return
}
