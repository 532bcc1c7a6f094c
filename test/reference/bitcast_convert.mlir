// RUN: assay test %s
// stablehlo.bitcast_convert. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @bitcast_convert_f32_to_i32() {
  %operand = stablehlo.constant dense<[1.0, -2.0, 0.0]> : tensor<3xf32>
  %result = "stablehlo.bitcast_convert"(%operand) : (tensor<3xf32>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[1065353216, -1073741824, 0]> : tensor<3xi32>
  func.return
}

func.func @bitcast_convert_i64_to_f64() {
  %operand = stablehlo.constant dense<[4607182418800017408, 0]> : tensor<2xi64>
  %result = "stablehlo.bitcast_convert"(%operand) : (tensor<2xi64>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[1.0, 0.0]> : tensor<2xf64>
  func.return
}

func.func @bitcast_convert_bf16_to_ui16() {
  %operand = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xbf16>
  %result = "stablehlo.bitcast_convert"(%operand) : (tensor<2xbf16>) -> tensor<2xui16>
  check.expect_eq_const %result, dense<[16256, 49024]> : tensor<2xui16>
  func.return
}

func.func @bitcast_convert_ui8_to_i8() {
  %operand = stablehlo.constant dense<[200, 5]> : tensor<2xui8>
  %result = "stablehlo.bitcast_convert"(%operand) : (tensor<2xui8>) -> tensor<2xi8>
  check.expect_eq_const %result, dense<[-56, 5]> : tensor<2xi8>
  func.return
}
