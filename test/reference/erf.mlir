// RUN: assay test %s
// chlo.erf. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @erf_bf16() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xbf16>
  %result = "chlo.erf"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.99609375, -0.51953125, 0.0087890625, 0.275390625, 0.84375, 1.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @erf_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.erf"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @erf_f16() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf16>
  %result = "chlo.erf"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.9951171875, -0.5205078125, 0.00881195068359375, 0.2763671875, 0.8427734375, 1.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @erf_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.erf"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @erf_f32() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf32>
  %result = "chlo.erf"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.9953222870826721, -0.5204998850822449, 0.008815282955765724, 0.27632638812065125, 0.8427007794380188, 0.9999778866767883]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @erf_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.erf"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @erf_f64() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf64>
  %result = "chlo.erf"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.9953222650189527, -0.5204998778130465, 0.008815282895179188, 0.27632639016823696, 0.8427007929497149, 0.9999779095030014]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @erf_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.erf"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @erf_scalar() {
  %operand = stablehlo.constant dense<-2.0> : tensor<f32>
  %result = "chlo.erf"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.9953222870826721> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @erf_splat() {
  %operand = stablehlo.constant dense<-2.0> : tensor<3x2xf32>
  %result = "chlo.erf"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.9953222870826721> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @erf_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.erf"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
