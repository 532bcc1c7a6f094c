// RUN: assay test %s
// chlo.square. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @square_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.square"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.1875, 0.25), (-1.75, -6.0), (8.984375, -0.75), (-15.9375, 2.0), (-0.00018310546875, -0.000244140625), (3.4375, 3.0)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @square_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.square"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.1875, 0.25), (-1.75, -6.0), (8.984375, -0.75), (-15.9375, 2.0), (-0.00018310546875, -0.000244140625), (3.4375, 3.0)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}

func.func @square_bf16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xbf16>
  %result = "chlo.square"(%operand) : (tensor<12xbf16>) -> tensor<12xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1.0, 0.25, 0.25, 2.25, 6.25, 6.25, 0.5625, 9.0, 49.0, 144.0]> : tensor<12xbf16>
  func.return
}

func.func @square_f16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf16>
  %result = "chlo.square"(%operand) : (tensor<12xf16>) -> tensor<12xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1.0, 0.25, 0.25, 2.25, 6.25, 6.25, 0.5625, 9.0, 49.0, 144.0]> : tensor<12xf16>
  func.return
}

func.func @square_f32() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf32>
  %result = "chlo.square"(%operand) : (tensor<12xf32>) -> tensor<12xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1.0, 0.25, 0.25, 2.25, 6.25, 6.25, 0.5625, 9.0, 49.0, 144.0]> : tensor<12xf32>
  func.return
}

func.func @square_f64() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf64>
  %result = "chlo.square"(%operand) : (tensor<12xf64>) -> tensor<12xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1.0, 0.25, 0.25, 2.25, 6.25, 6.25, 0.5625, 9.0, 49.0, 144.0]> : tensor<12xf64>
  func.return
}
