// RUN: assay test %s
// chlo.next_after. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @next_after_bf16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0, 0.0, 2.0, 9.183549615799121e-41, 3.3895313892515355e+38, 0x7F80, 0x7FC0]> : tensor<10xbf16>
  %y = stablehlo.constant dense<[2.0, 0.0, 0.0, 1.0, -1.0, 2.0, 0.0, 0x7F80, 0.0, 1.0]> : tensor<10xbf16>
  %result = "chlo.next_after"(%x, %y) : (tensor<10xbf16>, tensor<10xbf16>) -> tensor<10xbf16>
  check.expect_eq_const %result, dense<[1.0078125, 0.99609375, -0.99609375, 9.183549615799121e-41, -9.183549615799121e-41, 2.0, 0.0, 0x7F80, 3.3895313892515355e+38, 0x7FC0]> : tensor<10xbf16>
  func.return
}

func.func @next_after_f16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0, 0.0, 2.0, 5.960464477539063e-08, 65504.0, 0x7C00, 0x7E00]> : tensor<10xf16>
  %y = stablehlo.constant dense<[2.0, 0.0, 0.0, 1.0, -1.0, 2.0, 0.0, 0x7C00, 0.0, 1.0]> : tensor<10xf16>
  %result = "chlo.next_after"(%x, %y) : (tensor<10xf16>, tensor<10xf16>) -> tensor<10xf16>
  check.expect_eq_const %result, dense<[1.0009765625, 0.99951171875, -0.99951171875, 5.960464477539063e-08, -5.960464477539063e-08, 2.0, 0.0, 0x7C00, 65504.0, 0x7E00]> : tensor<10xf16>
  func.return
}

func.func @next_after_f32() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0, 0.0, 2.0, 1.401298464324817e-45, 3.4028234663852886e+38, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  %y = stablehlo.constant dense<[2.0, 0.0, 0.0, 1.0, -1.0, 2.0, 0.0, 0x7F800000, 0.0, 1.0]> : tensor<10xf32>
  %result = "chlo.next_after"(%x, %y) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  check.expect_eq_const %result, dense<[1.0000001192092896, 0.9999999403953552, -0.9999999403953552, 1.401298464324817e-45, -1.401298464324817e-45, 2.0, 0.0, 0x7F800000, 3.4028234663852886e+38, 0x7FC00000]> : tensor<10xf32>
  func.return
}

func.func @next_after_f64() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0, 0.0, 2.0, 5.0e-324, 1.7976931348623157e+308, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<10xf64>
  %y = stablehlo.constant dense<[2.0, 0.0, 0.0, 1.0, -1.0, 2.0, 0.0, 0x7FF0000000000000, 0.0, 1.0]> : tensor<10xf64>
  %result = "chlo.next_after"(%x, %y) : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
  check.expect_eq_const %result, dense<[1.0000000000000002, 0.9999999999999999, -0.9999999999999999, 5.0e-324, -5.0e-324, 2.0, 0.0, 0x7FF0000000000000, 1.7976931348623157e+308, 0x7FF8000000000000]> : tensor<10xf64>
  func.return
}

func.func @next_after_scalar() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %y = stablehlo.constant dense<2.0> : tensor<f32>
  %result = "chlo.next_after"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<2.0> : tensor<f32>
  func.return
}

func.func @next_after_splat() {
  %x = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %y = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %result = "chlo.next_after"(%x, %y) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<2.0> : tensor<3x2xf32>
  func.return
}

func.func @next_after_empty() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %y = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.next_after"(%x, %y) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}
