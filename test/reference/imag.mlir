// RUN: assay test %s
// stablehlo.imag. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @imag_f32() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf32>
  %result = "stablehlo.imag"(%operand) : (tensor<12xf32>) -> tensor<12xf32>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<12xf32>
  func.return
}

func.func @imag_f64() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf64>
  %result = "stablehlo.imag"(%operand) : (tensor<12xf64>) -> tensor<12xf64>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<12xf64>
  func.return
}

func.func @imag_f32_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %result = "stablehlo.imag"(%operand) : (tensor<7xf32>) -> tensor<7xf32>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<7xf32>
  func.return
}

func.func @imag_f64_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %result = "stablehlo.imag"(%operand) : (tensor<7xf64>) -> tensor<7xf64>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<7xf64>
  func.return
}

func.func @imag_scalar() {
  %operand = stablehlo.constant dense<2.5> : tensor<f32>
  %result = "stablehlo.imag"(%operand) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<0.0> : tensor<f32>
  func.return
}

func.func @imag_splat() {
  %operand = stablehlo.constant dense<2.5> : tensor<3x2xf32>
  %result = "stablehlo.imag"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<0.0> : tensor<3x2xf32>
  func.return
}

func.func @imag_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.imag"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}

func.func @imag_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.imag"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
  check.expect_eq_const %result, dense<[0.25, 2.0, -0.125, -4.0, -0.015625, 0.75]> : tensor<6xf32>
  func.return
}

func.func @imag_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.imag"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
  check.expect_eq_const %result, dense<[0.25, 2.0, -0.125, -4.0, -0.015625, 0.75]> : tensor<6xf64>
  func.return
}
