// RUN: assay test %s
// chlo.digamma. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @digamma_bf16() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 1.0, 1.5, 100.0]> : tensor<6xbf16>
  %result = "chlo.digamma"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.703125, 2.921875, -4.21875, -0.578125, 0.036376953125, 4.59375]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @digamma_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.digamma"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0x7FC0, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @digamma_f16() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 1.0, 1.5, 100.0]> : tensor<6xf16>
  %result = "chlo.digamma"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.703125, 2.9140625, -4.2265625, -0.5771484375, 0.0364990234375, 4.6015625]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @digamma_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.digamma"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0x7E00, 0x7C00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @digamma_f32() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 1.0, 1.5, 100.0]> : tensor<6xf32>
  %result = "chlo.digamma"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.7031566500663757, 2.9141390323638916, -4.227453708648682, -0.5772156715393066, 0.036489974707365036, 4.600162029266357]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @digamma_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.digamma"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @digamma_f64() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 1.0, 1.5, 100.0]> : tensor<6xf64>
  %result = "chlo.digamma"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.7031566406452432, 2.9141391202135276, -4.2274535333762655, -0.5772156649015329, 0.03648997397857652, 4.600161852738087]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @digamma_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.digamma"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @digamma_scalar() {
  %operand = stablehlo.constant dense<-1.5> : tensor<f32>
  %result = "chlo.digamma"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.7031566500663757> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @digamma_splat() {
  %operand = stablehlo.constant dense<-1.5> : tensor<3x2xf32>
  %result = "chlo.digamma"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.7031566500663757> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @digamma_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.digamma"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
