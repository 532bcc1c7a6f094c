// RUN: assay test %s
// stablehlo.floor. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @floor_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf8E4M3FN>
  %result = "stablehlo.floor"(%operand) : (tensor<12xf8E4M3FN>) -> tensor<12xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xf8E4M3FN>
  func.return
}

func.func @floor_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf8E5M2>
  %result = "stablehlo.floor"(%operand) : (tensor<12xf8E5M2>) -> tensor<12xf8E5M2>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xf8E5M2>
  func.return
}

func.func @floor_bf16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xbf16>
  %result = "stablehlo.floor"(%operand) : (tensor<12xbf16>) -> tensor<12xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xbf16>
  func.return
}

func.func @floor_f16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf16>
  %result = "stablehlo.floor"(%operand) : (tensor<12xf16>) -> tensor<12xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xf16>
  func.return
}

func.func @floor_f32() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf32>
  %result = "stablehlo.floor"(%operand) : (tensor<12xf32>) -> tensor<12xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xf32>
  func.return
}

func.func @floor_f64() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf64>
  %result = "stablehlo.floor"(%operand) : (tensor<12xf64>) -> tensor<12xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 2.0, -3.0, 0.0, 3.0, -7.0, 12.0]> : tensor<12xf64>
  func.return
}

func.func @floor_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  %result = "stablehlo.floor"(%operand) : (tensor<7xbf16>) -> tensor<7xbf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  func.return
}

func.func @floor_f16_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  %result = "stablehlo.floor"(%operand) : (tensor<7xf16>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  func.return
}

func.func @floor_f32_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %result = "stablehlo.floor"(%operand) : (tensor<7xf32>) -> tensor<7xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  func.return
}

func.func @floor_f64_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %result = "stablehlo.floor"(%operand) : (tensor<7xf64>) -> tensor<7xf64>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  func.return
}

func.func @floor_scalar() {
  %operand = stablehlo.constant dense<2.5> : tensor<f32>
  %result = "stablehlo.floor"(%operand) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<2.0> : tensor<f32>
  func.return
}

func.func @floor_splat() {
  %operand = stablehlo.constant dense<2.5> : tensor<3x2xf32>
  %result = "stablehlo.floor"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<2.0> : tensor<3x2xf32>
  func.return
}

func.func @floor_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.floor"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}
