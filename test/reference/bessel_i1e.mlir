// RUN: assay test %s
// chlo.bessel_i1e. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @bessel_i1e_bf16() {
  %operand = stablehlo.constant dense<[-20.0, -0.5, 0.25, 3.0, 50.0, 200.0]> : tensor<6xbf16>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.08740234375, -0.15625, 0.09814453125, 0.197265625, 0.055908203125, 0.0281982421875]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @bessel_i1e_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @bessel_i1e_f16() {
  %operand = stablehlo.constant dense<[-20.0, -0.5, 0.25, 3.0, 50.0, 200.0]> : tensor<6xf16>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.0875244140625, -0.1563720703125, 0.09808349609375, 0.19677734375, 0.055999755859375, 0.0281524658203125]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @bessel_i1e_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @bessel_i1e_f32() {
  %operand = stablehlo.constant dense<[-20.0, -0.5, 0.25, 3.0, 50.0, 200.0]> : tensor<6xf32>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.08750621974468231, -0.15642079710960388, 0.09811262786388397, 0.19682671129703522, 0.05599312484264374, 0.028156504034996033]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @bessel_i1e_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @bessel_i1e_f64() {
  %operand = stablehlo.constant dense<[-20.0, -0.5, 0.25, 3.0, 50.0, 200.0]> : tensor<6xf64>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.08750622218328867, -0.1564208031848717, 0.09811262869736824, 0.19682671329730086, 0.0559931238928954, 0.02815650339483292]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @bessel_i1e_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0.0, 0.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @bessel_i1e_scalar() {
  %operand = stablehlo.constant dense<-20.0> : tensor<f32>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.08750621974468231> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @bessel_i1e_splat() {
  %operand = stablehlo.constant dense<-20.0> : tensor<3x2xf32>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.08750621974468231> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @bessel_i1e_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.bessel_i1e"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
