// RUN: assay test %s

// uniform_dequantize_c1, uniform_dequantize_c2: the specification's own example.
func.func @per_axis() {
  %stored = stablehlo.constant dense<[10, 10]> : tensor<2xi8>
  %operand = stablehlo.bitcast_convert %stored : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %result = stablehlo.uniform_dequantize %operand : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xf32>
  check.expect_almost_eq_const %result, dense<[4.0, 15.0]> : tensor<2xf32>
  func.return
}

// 127 - (-128) does not fit the storage type and must not wrap there.
func.func @difference_is_exact() {
  %stored = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %operand = stablehlo.bitcast_convert %stored : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-128>>
  %result = stablehlo.uniform_dequantize %operand : (tensor<2x!quant.uniform<i8:f32, 0.5:-128>>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[0.0, 127.5]> : tensor<2xf32>
  func.return
}

func.func @quantized_constant() {
  %operand = "stablehlo.constant"() {value = dense<[1, 2, 3]> : tensor<3xi8>} : () -> tensor<3x!quant.uniform<i8:f32, 2.0:1>>
  %result = stablehlo.uniform_dequantize %operand : (tensor<3x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[0.0, 2.0, 4.0]> : tensor<3xf32>
  func.return
}
