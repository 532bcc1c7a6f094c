// RUN: assay test %s
// stablehlo.power. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @power_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi2>
  check.expect_eq_const %result, dense<[0, 0, 1, -2, 1, -1, 1, -1, 0, 0, 1, 0, 1, 1, 1, 1]> : tensor<16xi2>
  func.return
}

func.func @power_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -8, 0, 0, 1, -1, 1, -1, -1, -1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 3, -5, -5, 0, 0, 1, 7, 7, 7]> : tensor<36xi4>
  func.return
}

func.func @power_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -128, 0, 0, 0, 1, -1, 1, -1, -1, -1, -1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 3, 27, -85, -85, 0, 0, 1, 63, -65, -65, -65, 0, 0, 1, 127, 127, 127, 127]> : tensor<49xi8>
  func.return
}

func.func @power_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, -32768, 0, 0, 0, 1, -1, 1, -1, -1, -1, -1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 3, 27, -21845, -21845, 0, 0, 1, 16383, -16385, -16385, -16385, 0, 0, 1, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  func.return
}

func.func @power_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -2147483648, 0, 0, 0, 1, -1, 1, -1, -1, -1, -1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 3, 27, -1431655765, -1431655765, 0, 0, 1, 1073741823, -1073741825, -1073741825, -1073741825, 0, 0, 1, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  func.return
}

func.func @power_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, -9223372036854775808, 0, 0, 0, 1, -1, 1, -1, -1, -1, -1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 3, 27, -6148914691236517205, -6148914691236517205, 0, 0, 1, 4611686018427387903, -4611686018427387905, -4611686018427387905, -4611686018427387905, 0, 0, 1, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  func.return
}

func.func @power_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xui2>
  check.expect_eq_const %result, dense<[1, 0, 0, 1, 1, 1, 1, 3, 3]> : tensor<9xui2>
  func.return
}

func.func @power_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xui4>
  check.expect_eq_const %result, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 11, 11, 11, 1, 7, 7, 7, 7, 1, 15, 15, 15, 15]> : tensor<25xui4>
  func.return
}

func.func @power_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xui8>
  check.expect_eq_const %result, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 27, 171, 171, 1, 127, 127, 127, 127, 1, 255, 255, 255, 255]> : tensor<25xui8>
  func.return
}

func.func @power_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xui16>
  check.expect_eq_const %result, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 27, 43691, 43691, 1, 32767, 32767, 32767, 32767, 1, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  func.return
}

func.func @power_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xui32>
  check.expect_eq_const %result, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 27, 2863311531, 2863311531, 1, 2147483647, 2147483647, 2147483647, 2147483647, 1, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  func.return
}

func.func @power_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xui64>
  check.expect_eq_const %result, dense<[1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 27, 12297829382473034411, 12297829382473034411, 1, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 1, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  func.return
}

func.func @power_bf16() {
  %lhs = stablehlo.constant dense<[2.0, 0.5, 3.0, 10.0, -2.0, 1.0]> : tensor<6xbf16>
  %rhs = stablehlo.constant dense<[3.0, -1.5, 0.25, -2.0, 3.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xbf16>, tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[8.0, 2.828125, 1.3125, 0.010009765625, -8.0, 1.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @power_f16() {
  %lhs = stablehlo.constant dense<[2.0, 0.5, 3.0, 10.0, -2.0, 1.0]> : tensor<6xf16>
  %rhs = stablehlo.constant dense<[3.0, -1.5, 0.25, -2.0, 3.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf16>, tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[8.0, 2.828125, 1.31640625, 0.01000213623046875, -8.0, 1.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @power_f32() {
  %lhs = stablehlo.constant dense<[2.0, 0.5, 3.0, 10.0, -2.0, 1.0]> : tensor<6xf32>
  %rhs = stablehlo.constant dense<[3.0, -1.5, 0.25, -2.0, 3.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[8.0, 2.8284270763397217, 1.316074013710022, 0.009999999776482582, -8.0, 1.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @power_f64() {
  %lhs = stablehlo.constant dense<[2.0, 0.5, 3.0, 10.0, -2.0, 1.0]> : tensor<6xf64>
  %rhs = stablehlo.constant dense<[3.0, -1.5, 0.25, -2.0, 3.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[8.0, 2.8284271247461903, 1.3160740129524924, 0.01, -8.0, 1.0]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @power_f32_special() {
  %lhs = stablehlo.constant dense<[0.0, 0x7FC00000, -8.0, 0.0, 0x7F800000, 2.0]> : tensor<6xf32>
  %rhs = stablehlo.constant dense<[0.0, 0.0, 0.5, -1.0, 2.0, 0xFF800000]> : tensor<6xf32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  check.expect_eq_const %result, dense<[1.0, 1.0, 0x7FC00000, 0x7F800000, 0x7F800000, 0.0]> : tensor<6xf32>
  func.return
}

func.func @power_scalar() {
  %lhs = stablehlo.constant dense<2.0> : tensor<f32>
  %rhs = stablehlo.constant dense<3.0> : tensor<f32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<8.0> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @power_splat() {
  %lhs = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %rhs = stablehlo.constant dense<3.0> : tensor<3x2xf32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<8.0> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @power_empty() {
  %lhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %rhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @power_complex_f32() {
  %lhs = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75), (0.5, 0.25)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-0.26869529485702515, -0.9076114892959595), (19.991336822509766, 5.001912593841553), (-0.2052781581878662, 0.609467625617981), (0.9848490953445435, -0.033942267298698425), (0.0003583887009881437, 0.0006014343816787004), (1.246132731437683, 0.48206666111946106)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @power_complex_f64() {
  %lhs = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75), (0.5, 0.25)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-0.2686953042094071, -0.9076114875041535), (19.991337322225995, 5.00191265241467), (-0.2052781584005241, 0.6094676003385827), (0.9848490689806371, -0.033942268347292116), (0.0003583887153654831, 0.0006014343851859768), (1.246132691621829, 0.4820666474171408)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
