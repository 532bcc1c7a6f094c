// RUN: assay test %s
// chlo.lgamma. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @lgamma_bf16() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 3.0, 10.0, 100.0]> : tensor<6xbf16>
  %result = "chlo.lgamma"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.859375, 1.5859375, 1.2890625, 0.69140625, 12.8125, 360.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @lgamma_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "chlo.lgamma"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0x7F80, 0.0, 0x7F80, 0x7F80, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @lgamma_f16() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 3.0, 10.0, 100.0]> : tensor<6xf16>
  %result = "chlo.lgamma"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.85986328125, 1.58984375, 1.2880859375, 0.693359375, 12.8046875, 359.25]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @lgamma_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "chlo.lgamma"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0x7C00, 0.0, 0x7C00, 0x7C00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @lgamma_f32() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 3.0, 10.0, 100.0]> : tensor<6xf32>
  %result = "chlo.lgamma"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.8600470423698425, 1.5895752906799316, 1.288022518157959, 0.6931471824645996, 12.801827430725098, 359.13421630859375]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @lgamma_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "chlo.lgamma"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0x7F800000, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @lgamma_f64() {
  %operand = stablehlo.constant dense<[-1.5, -0.25, 0.25, 3.0, 10.0, 100.0]> : tensor<6xf64>
  %result = "chlo.lgamma"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.860047015376481, 1.589575312551186, 1.2880225246980774, 0.6931471805599453, 12.801827480081469, 359.1342053695754]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @lgamma_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "chlo.lgamma"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0x7FF0000000000000, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @lgamma_scalar() {
  %operand = stablehlo.constant dense<-1.5> : tensor<f32>
  %result = "chlo.lgamma"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.8600470423698425> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @lgamma_splat() {
  %operand = stablehlo.constant dense<-1.5> : tensor<3x2xf32>
  %result = "chlo.lgamma"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.8600470423698425> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @lgamma_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.lgamma"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
