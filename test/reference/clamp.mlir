// RUN: assay test %s
// stablehlo.clamp. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @clamp_i2() {
  %min = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi2>
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %max = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi2>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<3xi2>, tensor<3xi2>, tensor<3xi2>) -> tensor<3xi2>
  check.expect_eq_const %result, dense<[0, 0, 1]> : tensor<3xi2>
  func.return
}

func.func @clamp_i4() {
  %min = stablehlo.constant dense<[0, 0, 0, 0, 0]> : tensor<5xi4>
  %operand = stablehlo.constant dense<[-8, 0, 1, 3, 7]> : tensor<5xi4>
  %max = stablehlo.constant dense<[1, 1, 1, 1, 1]> : tensor<5xi4>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<5xi4>, tensor<5xi4>, tensor<5xi4>) -> tensor<5xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, 1, 1]> : tensor<5xi4>
  func.return
}

func.func @clamp_i8() {
  %min = stablehlo.constant dense<[0, 0, 0, 0, 0]> : tensor<5xi8>
  %operand = stablehlo.constant dense<[-128, 0, 1, 63, 127]> : tensor<5xi8>
  %max = stablehlo.constant dense<[1, 1, 1, 1, 1]> : tensor<5xi8>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<5xi8>, tensor<5xi8>, tensor<5xi8>) -> tensor<5xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, 1, 1]> : tensor<5xi8>
  func.return
}

func.func @clamp_i16() {
  %min = stablehlo.constant dense<[0, 0, 0, 0, 0]> : tensor<5xi16>
  %operand = stablehlo.constant dense<[-32768, 0, 1, 16383, 32767]> : tensor<5xi16>
  %max = stablehlo.constant dense<[1, 1, 1, 1, 1]> : tensor<5xi16>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<5xi16>, tensor<5xi16>, tensor<5xi16>) -> tensor<5xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, 1, 1]> : tensor<5xi16>
  func.return
}

func.func @clamp_i32() {
  %min = stablehlo.constant dense<[0, 0, 0, 0, 0]> : tensor<5xi32>
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 1073741823, 2147483647]> : tensor<5xi32>
  %max = stablehlo.constant dense<[1, 1, 1, 1, 1]> : tensor<5xi32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, 1, 1]> : tensor<5xi32>
  func.return
}

func.func @clamp_i64() {
  %min = stablehlo.constant dense<[0, 0, 0, 0, 0]> : tensor<5xi64>
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 4611686018427387903, 9223372036854775807]> : tensor<5xi64>
  %max = stablehlo.constant dense<[1, 1, 1, 1, 1]> : tensor<5xi64>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>) -> tensor<5xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, 1, 1]> : tensor<5xi64>
  func.return
}

func.func @clamp_ui2() {
  %min = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui2>
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %max = stablehlo.constant dense<[1, 1, 1]> : tensor<3xui2>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<3xui2>, tensor<3xui2>, tensor<3xui2>) -> tensor<3xui2>
  check.expect_eq_const %result, dense<[0, 1, 1]> : tensor<3xui2>
  func.return
}

func.func @clamp_ui4() {
  %min = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xui4>
  %operand = stablehlo.constant dense<[0, 1, 7, 15]> : tensor<4xui4>
  %max = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xui4>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<4xui4>, tensor<4xui4>, tensor<4xui4>) -> tensor<4xui4>
  check.expect_eq_const %result, dense<[0, 1, 1, 1]> : tensor<4xui4>
  func.return
}

func.func @clamp_ui8() {
  %min = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xui8>
  %operand = stablehlo.constant dense<[0, 1, 127, 255]> : tensor<4xui8>
  %max = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xui8>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  check.expect_eq_const %result, dense<[0, 1, 1, 1]> : tensor<4xui8>
  func.return
}

func.func @clamp_ui16() {
  %min = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xui16>
  %operand = stablehlo.constant dense<[0, 1, 32767, 65535]> : tensor<4xui16>
  %max = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xui16>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<4xui16>, tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
  check.expect_eq_const %result, dense<[0, 1, 1, 1]> : tensor<4xui16>
  func.return
}

func.func @clamp_ui32() {
  %min = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xui32>
  %operand = stablehlo.constant dense<[0, 1, 2147483647, 4294967295]> : tensor<4xui32>
  %max = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xui32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  check.expect_eq_const %result, dense<[0, 1, 1, 1]> : tensor<4xui32>
  func.return
}

func.func @clamp_ui64() {
  %min = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xui64>
  %operand = stablehlo.constant dense<[0, 1, 9223372036854775807, 18446744073709551615]> : tensor<4xui64>
  %max = stablehlo.constant dense<[1, 1, 1, 1]> : tensor<4xui64>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<4xui64>, tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
  check.expect_eq_const %result, dense<[0, 1, 1, 1]> : tensor<4xui64>
  func.return
}

func.func @clamp_bf16() {
  %min = stablehlo.constant dense<[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]> : tensor<7xbf16>
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.25, 3.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  %max = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<7xbf16>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
  check.expect_eq_const %result, dense<[-1.0, -0.5, 0.25, 0.5, 0.5, -1.0, 0x7FC0]> : tensor<7xbf16>
  func.return
}

func.func @clamp_f16() {
  %min = stablehlo.constant dense<[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]> : tensor<7xf16>
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.25, 3.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  %max = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<7xf16>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<7xf16>, tensor<7xf16>, tensor<7xf16>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[-1.0, -0.5, 0.25, 0.5, 0.5, -1.0, 0x7E00]> : tensor<7xf16>
  func.return
}

func.func @clamp_f32() {
  %min = stablehlo.constant dense<[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]> : tensor<7xf32>
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.25, 3.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %max = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<7xf32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  check.expect_eq_const %result, dense<[-1.0, -0.5, 0.25, 0.5, 0.5, -1.0, 0x7FC00000]> : tensor<7xf32>
  func.return
}

func.func @clamp_f64() {
  %min = stablehlo.constant dense<[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]> : tensor<7xf64>
  %operand = stablehlo.constant dense<[-2.0, -0.5, 0.25, 3.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %max = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<7xf64>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<7xf64>, tensor<7xf64>, tensor<7xf64>) -> tensor<7xf64>
  check.expect_eq_const %result, dense<[-1.0, -0.5, 0.25, 0.5, 0.5, -1.0, 0x7FF8000000000000]> : tensor<7xf64>
  func.return
}

func.func @clamp_scalar() {
  %min = stablehlo.constant dense<-1.0> : tensor<f32>
  %operand = stablehlo.constant dense<3.0> : tensor<f32>
  %max = stablehlo.constant dense<0.5> : tensor<f32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<0.5> : tensor<f32>
  func.return
}

func.func @clamp_splat() {
  %min = stablehlo.constant dense<-1.0> : tensor<3x2xf32>
  %operand = stablehlo.constant dense<3.0> : tensor<3x2xf32>
  %max = stablehlo.constant dense<0.5> : tensor<3x2xf32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<0.5> : tensor<3x2xf32>
  func.return
}

func.func @clamp_empty() {
  %min = stablehlo.constant dense<> : tensor<0x3xf32>
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %max = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.clamp"(%min, %operand, %max) : (tensor<0x3xf32>, tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}

func.func @clamp_scalar_bounds() {
  %min = stablehlo.constant dense<-1.0> : tensor<f32>
  %operand = stablehlo.constant dense<[-2.0, 0.5, 4.0]> : tensor<3xf32>
  %max = stablehlo.constant dense<1.0> : tensor<f32>
  %result = stablehlo.clamp %min, %operand, %max : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[-1.0, 0.5, 1.0]> : tensor<3xf32>
  func.return
}
