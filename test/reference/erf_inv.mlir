// RUN: assay test %s
// chlo.erf_inv. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @erf_inv_bf16() {
  %operand = stablehlo.constant dense<[-0.9375, -0.5, 0.0078125, 0.25, 0.75, 0.9375]> : tensor<6xbf16>
  %result = "chlo.erf_inv"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-1.3203125, -0.4765625, 0.006927490234375, 0.2255859375, 0.8125, 1.3203125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @erf_inv_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "chlo.erf_inv"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @erf_inv_f16() {
  %operand = stablehlo.constant dense<[-0.9375, -0.5, 0.0078125, 0.25, 0.75, 0.9375]> : tensor<6xf16>
  %result = "chlo.erf_inv"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-1.3173828125, -0.47705078125, 0.006923675537109375, 0.225341796875, 0.8134765625, 1.3173828125]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @erf_inv_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "chlo.erf_inv"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, 0x7E00, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @erf_inv_f32() {
  %operand = stablehlo.constant dense<[-0.9375, -0.5, 0.0078125, 0.25, 0.75, 0.9375]> : tensor<6xf32>
  %result = "chlo.erf_inv"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-1.317150354385376, -0.4769362807273865, 0.006923758424818516, 0.22531205415725708, 0.8134198188781738, 1.317150354385376]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @erf_inv_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "chlo.erf_inv"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @erf_inv_f64() {
  %operand = stablehlo.constant dense<[-0.9375, -0.5, 0.0078125, 0.25, 0.75, 0.9375]> : tensor<6xf64>
  %result = "chlo.erf_inv"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-1.3171503349861307, -0.4769362762044699, 0.006923758491549614, 0.2253120550121781, 0.8134198475976185, 1.3171503349861307]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @erf_inv_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "chlo.erf_inv"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @erf_inv_scalar() {
  %operand = stablehlo.constant dense<-0.9375> : tensor<f32>
  %result = "chlo.erf_inv"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-1.317150354385376> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @erf_inv_splat() {
  %operand = stablehlo.constant dense<-0.9375> : tensor<3x2xf32>
  %result = "chlo.erf_inv"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-1.317150354385376> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @erf_inv_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.erf_inv"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
