// RUN: assay test %s

// uniform_quantize_c1, uniform_quantize_c2: the specification's own examples.
func.func @from_floats_per_axis() {
  %operand = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %result = stablehlo.uniform_quantize %operand : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %stored = stablehlo.bitcast_convert %result : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xi8>
  check.expect_eq_const %stored, dense<[10, 10]> : tensor<2xi8>
  func.return
}

func.func @requantize_per_axis() {
  %stored = stablehlo.constant dense<[10, 10]> : tensor<2xi8>
  %operand = stablehlo.bitcast_convert %stored : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %result = stablehlo.uniform_quantize %operand : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>
  %again = stablehlo.bitcast_convert %result : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>) -> tensor<2xi8>
  check.expect_eq_const %again, dense<[20, 45]> : tensor<2xi8>
  func.return
}

// Ties are rounded to even, values outside become storage_min and storage_max, NaN becomes zero.
func.func @limits_of_the_storage() {
  %operand = stablehlo.constant dense<[0.5, 1.5, -1.0e9, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %result = stablehlo.uniform_quantize %operand : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8<-5:100>:f32, 1.0:1>>
  %stored = stablehlo.bitcast_convert %result : (tensor<5x!quant.uniform<i8<-5:100>:f32, 1.0:1>>) -> tensor<5xi8>
  check.expect_eq_const %stored, dense<[2, 2, -5, 100, 0]> : tensor<5xi8>
  func.return
}

func.func @narrow_unsigned_storage() {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.75, 100.0]> : tensor<4xf32>
  %result = stablehlo.uniform_quantize %operand : (tensor<4xf32>) -> tensor<4x!quant.uniform<u4:f32, 0.25:2>>
  %stored = stablehlo.bitcast_convert %result : (tensor<4x!quant.uniform<u4:f32, 0.25:2>>) -> tensor<4xui4>
  check.expect_eq_const %stored, dense<[0, 2, 5, 15]> : tensor<4xui4>
  func.return
}

func.func @two_bit_storage() {
  %operand = stablehlo.constant dense<[-3.0, -1.0, 0.4, 9.0]> : tensor<4xbf16>
  %result = stablehlo.uniform_quantize %operand : (tensor<4xbf16>) -> tensor<4x!quant.uniform<i2:bf16, 1.0>>
  %stored = stablehlo.bitcast_convert %result : (tensor<4x!quant.uniform<i2:bf16, 1.0>>) -> tensor<4xi2>
  check.expect_eq_const %stored, dense<[-2, -1, 0, 1]> : tensor<4xi2>
  func.return
}

// One number everywhere does not become one code everywhere if channels have their own scales.
func.func @uniform_quantize_one_number_per_axis() {
  %operand = stablehlo.constant dense<3.0> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %operand : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 0.5}>>
  %result = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 0.5}>>) -> tensor<2x2xf32>
  check.expect_eq %result, %operand : tensor<2x2xf32>
  func.return
}
