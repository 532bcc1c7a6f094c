// RUN: assay test %s
// stablehlo.tan. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @tan_bf16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.tan"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.142578125, -0.546875, 0.255859375, 1.5546875, 0.6484375, -0.5859375]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @tan_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.tan"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @tan_f16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.tan"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.142578125, -0.54638671875, 0.25537109375, 1.5576171875, 0.6484375, -0.58740234375]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @tan_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.tan"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7E00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @tan_f32() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.tan"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.14254654943943024, -0.5463024973869324, 0.25534191727638245, 1.5574077367782593, 0.6483608484268188, -0.587213933467865]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @tan_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.tan"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @tan_f64() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.tan"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.1425465430742778, -0.5463024898437905, 0.25534192122103627, 1.5574077246549023, 0.6483608274590866, -0.5872139151569291]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @tan_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.tan"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @tan_scalar() {
  %operand = stablehlo.constant dense<-3.0> : tensor<f32>
  %result = "stablehlo.tan"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.14254654943943024> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @tan_splat() {
  %operand = stablehlo.constant dense<-3.0> : tensor<3x2xf32>
  %result = "stablehlo.tan"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.14254654943943024> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @tan_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.tan"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @tan_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.tan"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.504500687122345, 0.31242069602012634), (-0.0053620608523488045, 1.0369203090667725), (-0.14029817283153534, -0.12683993577957153), (-0.0003214693861082196, -0.9994113445281982), (0.007810751907527447, -0.015624682419002056), (-0.44550132751464844, 1.2534271478652954)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @tan_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.tan"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.504500702698564, 0.3124206925025888), (-0.0053620609220030565, 1.036920282100185), (-0.14029816681980314, -0.1268399397769182), (-0.0003214693872494228, -0.9994113292958511), (0.007810751756190306, -0.01562468196112844), (-0.4455013214367418, 1.2534271713346836)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}

// CHLO's own name for it.
func.func @tan_of_chlo() {
  %operand = stablehlo.constant dense<[0.0, 0.5, 1.0]> : tensor<3xf64>
  %result = chlo.tan %operand : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0.0, 0.5463024898437905, 1.5574077246549023]> : tensor<3xf64>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3xf64>, tensor<3xf64>
  func.return
}
