// RUN: assay test %s
// chlo.erfc. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @erfc_bf16() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xbf16>
  %result = "chlo.erfc"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[1.9921875, 1.5234375, 0.9921875, 0.72265625, 0.1572265625, 2.205371856689453e-05]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @erfc_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.erfc"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[1.0, 0.0, 2.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @erfc_f16() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf16>
  %result = "chlo.erfc"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[1.9951171875, 1.5205078125, 0.9912109375, 0.7236328125, 0.1573486328125, 2.2113323211669922e-05]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @erfc_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.erfc"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[1.0, 0.0, 2.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @erfc_f32() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf32>
  %result = "chlo.erfc"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[1.9953222274780273, 1.5204998254776, 0.9911847114562988, 0.7236735820770264, 0.15729920566082, 2.2090496713644825e-05]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @erfc_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.erfc"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[1.0, 0.0, 2.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @erfc_f64() {
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0]> : tensor<6xf64>
  %result = "chlo.erfc"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[1.9953222650189528, 1.5204998778130465, 0.9911847171048208, 0.7236736098317631, 0.15729920705028513, 2.209049699858544e-05]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @erfc_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.erfc"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[1.0, 0.0, 2.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @erfc_scalar() {
  %operand = stablehlo.constant dense<-2.0> : tensor<f32>
  %result = "chlo.erfc"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.9953222274780273> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @erfc_splat() {
  %operand = stablehlo.constant dense<-2.0> : tensor<3x2xf32>
  %result = "chlo.erfc"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<1.9953222274780273> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @erfc_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.erfc"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
