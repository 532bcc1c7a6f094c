// RUN: assay test %s
// stablehlo.is_finite. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @is_finite_bf16() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  %result = "stablehlo.is_finite"(%x) : (tensor<7xbf16>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_finite_f16() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  %result = "stablehlo.is_finite"(%x) : (tensor<7xf16>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_finite_f32() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %result = "stablehlo.is_finite"(%x) : (tensor<7xf32>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_finite_f64() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %result = "stablehlo.is_finite"(%x) : (tensor<7xf64>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_finite_f8E5M2() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C, 0xFC, 0x7E]> : tensor<7xf8E5M2>
  %result = "stablehlo.is_finite"(%x) : (tensor<7xf8E5M2>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_finite_scalar() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %result = "stablehlo.is_finite"(%x) : (tensor<f32>) -> tensor<i1>
  check.expect_eq_const %result, dense<true> : tensor<i1>
  func.return
}

func.func @is_finite_splat() {
  %x = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %result = "stablehlo.is_finite"(%x) : (tensor<3x2xf32>) -> tensor<3x2xi1>
  check.expect_eq_const %result, dense<true> : tensor<3x2xi1>
  func.return
}

func.func @is_finite_empty() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.is_finite"(%x) : (tensor<0x3xf32>) -> tensor<0x3xi1>
  check.expect_eq_const %result, dense<> : tensor<0x3xi1>
  func.return
}
