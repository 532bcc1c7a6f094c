// RUN: assay test %s
// stablehlo.negate. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @negate_i2() {
  %operand = stablehlo.constant dense<[-2, -1, 0, 1]> : tensor<4xi2>
  %result = "stablehlo.negate"(%operand) : (tensor<4xi2>) -> tensor<4xi2>
  check.expect_eq_const %result, dense<[-2, 1, 0, -1]> : tensor<4xi2>
  func.return
}

func.func @negate_i4() {
  %operand = stablehlo.constant dense<[-8, -1, 0, 1, 2, 7]> : tensor<6xi4>
  %result = "stablehlo.negate"(%operand) : (tensor<6xi4>) -> tensor<6xi4>
  check.expect_eq_const %result, dense<[-8, 1, 0, -1, -2, -7]> : tensor<6xi4>
  func.return
}

func.func @negate_i8() {
  %operand = stablehlo.constant dense<[-128, -1, 0, 1, 42, 100, 127]> : tensor<7xi8>
  %result = "stablehlo.negate"(%operand) : (tensor<7xi8>) -> tensor<7xi8>
  check.expect_eq_const %result, dense<[-128, 1, 0, -1, -42, -100, -127]> : tensor<7xi8>
  func.return
}

func.func @negate_i16() {
  %operand = stablehlo.constant dense<[-32768, -1, 0, 1, 100, 10922, 32767]> : tensor<7xi16>
  %result = "stablehlo.negate"(%operand) : (tensor<7xi16>) -> tensor<7xi16>
  check.expect_eq_const %result, dense<[-32768, 1, 0, -1, -100, -10922, -32767]> : tensor<7xi16>
  func.return
}

func.func @negate_i32() {
  %operand = stablehlo.constant dense<[-2147483648, -1, 0, 1, 100, 715827882, 2147483647]> : tensor<7xi32>
  %result = "stablehlo.negate"(%operand) : (tensor<7xi32>) -> tensor<7xi32>
  check.expect_eq_const %result, dense<[-2147483648, 1, 0, -1, -100, -715827882, -2147483647]> : tensor<7xi32>
  func.return
}

func.func @negate_i64() {
  %operand = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 100, 3074457345618258602, 9223372036854775807]> : tensor<7xi64>
  %result = "stablehlo.negate"(%operand) : (tensor<7xi64>) -> tensor<7xi64>
  check.expect_eq_const %result, dense<[-9223372036854775808, 1, 0, -1, -100, -3074457345618258602, -9223372036854775807]> : tensor<7xi64>
  func.return
}

func.func @negate_ui2() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.negate"(%operand) : (tensor<3xui2>) -> tensor<3xui2>
  check.expect_eq_const %result, dense<[0, 3, 1]> : tensor<3xui2>
  func.return
}

func.func @negate_ui4() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.negate"(%operand) : (tensor<4xui4>) -> tensor<4xui4>
  check.expect_eq_const %result, dense<[0, 15, 11, 1]> : tensor<4xui4>
  func.return
}

func.func @negate_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 85, 100, 255]> : tensor<5xui8>
  %result = "stablehlo.negate"(%operand) : (tensor<5xui8>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[0, 255, 171, 156, 1]> : tensor<5xui8>
  func.return
}

func.func @negate_ui16() {
  %operand = stablehlo.constant dense<[0, 1, 100, 21845, 65535]> : tensor<5xui16>
  %result = "stablehlo.negate"(%operand) : (tensor<5xui16>) -> tensor<5xui16>
  check.expect_eq_const %result, dense<[0, 65535, 65436, 43691, 1]> : tensor<5xui16>
  func.return
}

func.func @negate_ui32() {
  %operand = stablehlo.constant dense<[0, 1, 100, 1431655765, 4294967295]> : tensor<5xui32>
  %result = "stablehlo.negate"(%operand) : (tensor<5xui32>) -> tensor<5xui32>
  check.expect_eq_const %result, dense<[0, 4294967295, 4294967196, 2863311531, 1]> : tensor<5xui32>
  func.return
}

func.func @negate_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 100, 6148914691236517205, 18446744073709551615]> : tensor<5xui64>
  %result = "stablehlo.negate"(%operand) : (tensor<5xui64>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[0, 18446744073709551615, 18446744073709551516, 12297829382473034411, 1]> : tensor<5xui64>
  func.return
}

func.func @negate_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf8E4M3FN>
  %result = "stablehlo.negate"(%operand) : (tensor<12xf8E4M3FN>) -> tensor<12xf8E4M3FN>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xf8E4M3FN>
  func.return
}

func.func @negate_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf8E5M2>
  %result = "stablehlo.negate"(%operand) : (tensor<12xf8E5M2>) -> tensor<12xf8E5M2>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xf8E5M2>
  func.return
}

func.func @negate_bf16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xbf16>
  %result = "stablehlo.negate"(%operand) : (tensor<12xbf16>) -> tensor<12xbf16>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xbf16>
  func.return
}

func.func @negate_f16() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf16>
  %result = "stablehlo.negate"(%operand) : (tensor<12xf16>) -> tensor<12xf16>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xf16>
  func.return
}

func.func @negate_f32() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf32>
  %result = "stablehlo.negate"(%operand) : (tensor<12xf32>) -> tensor<12xf32>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xf32>
  func.return
}

func.func @negate_f64() {
  %operand = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]> : tensor<12xf64>
  %result = "stablehlo.negate"(%operand) : (tensor<12xf64>) -> tensor<12xf64>
  check.expect_eq_const %result, dense<[-0.0, -1.0, 1.0, -0.5, 0.5, -1.5, -2.5, 2.5, -0.75, -3.0, 7.0, -12.0]> : tensor<12xf64>
  func.return
}

func.func @negate_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  %result = "stablehlo.negate"(%operand) : (tensor<7xbf16>) -> tensor<7xbf16>
  check.expect_eq_const %result, dense<[-0.0, 0.0, -1.0, 1.0, 0xFF80, 0x7F80, 0x7FC0]> : tensor<7xbf16>
  func.return
}

func.func @negate_f16_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  %result = "stablehlo.negate"(%operand) : (tensor<7xf16>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[-0.0, 0.0, -1.0, 1.0, 0xFC00, 0x7C00, 0x7E00]> : tensor<7xf16>
  func.return
}

func.func @negate_f32_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %result = "stablehlo.negate"(%operand) : (tensor<7xf32>) -> tensor<7xf32>
  check.expect_eq_const %result, dense<[-0.0, 0.0, -1.0, 1.0, 0xFF800000, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  func.return
}

func.func @negate_f64_special() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %result = "stablehlo.negate"(%operand) : (tensor<7xf64>) -> tensor<7xf64>
  check.expect_eq_const %result, dense<[-0.0, 0.0, -1.0, 1.0, 0xFFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  func.return
}

func.func @negate_scalar() {
  %operand = stablehlo.constant dense<2.5> : tensor<f32>
  %result = "stablehlo.negate"(%operand) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<-2.5> : tensor<f32>
  func.return
}

func.func @negate_splat() {
  %operand = stablehlo.constant dense<2.5> : tensor<3x2xf32>
  %result = "stablehlo.negate"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<-2.5> : tensor<3x2xf32>
  func.return
}

func.func @negate_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.negate"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}

func.func @negate_sign_of_zero() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %result = "stablehlo.negate"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  %bits = stablehlo.bitcast_convert %result : (tensor<4xf32>) -> tensor<4xi32>
  check.expect_eq_const %bits, dense<[-2147483648, 0, -2147483648, 0]> : tensor<4xi32>
  func.return
}

func.func @negate_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.negate"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-0.5, -0.25), (1.5, -2.0), (-3.0, 0.125), (0.25, 4.0), (-0.0078125, 0.015625), (-2.0, -0.75)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @negate_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.negate"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-0.5, -0.25), (1.5, -2.0), (-3.0, 0.125), (0.25, 4.0), (-0.0078125, 0.015625), (-2.0, -0.75)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
