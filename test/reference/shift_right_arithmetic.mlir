// RUN: assay test %s
// stablehlo.shift_right_arithmetic. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @shift_right_arithmetic_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi2>
  check.expect_eq_const %result, dense<[-1, -1, -2, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 0]> : tensor<16xi2>
  func.return
}

func.func @shift_right_arithmetic_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi4>
  check.expect_eq_const %result, dense<[-1, -1, -8, -4, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 7, 3, 0, 0]> : tensor<36xi4>
  func.return
}

func.func @shift_right_arithmetic_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi8>
  check.expect_eq_const %result, dense<[-1, -1, -128, -64, -16, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 63, 31, 7, 0, 0, 0, 0, 127, 63, 15, 0, 0]> : tensor<49xi8>
  func.return
}

func.func @shift_right_arithmetic_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi16>
  check.expect_eq_const %result, dense<[-1, -1, -32768, -16384, -4096, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 16383, 8191, 2047, 0, 0, 0, 0, 32767, 16383, 4095, 0, 0]> : tensor<49xi16>
  func.return
}

func.func @shift_right_arithmetic_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi32>
  check.expect_eq_const %result, dense<[-1, -1, -2147483648, -1073741824, -268435456, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 1073741823, 536870911, 134217727, 0, 0, 0, 0, 2147483647, 1073741823, 268435455, 0, 0]> : tensor<49xi32>
  func.return
}

func.func @shift_right_arithmetic_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi64>
  check.expect_eq_const %result, dense<[-1, -1, -9223372036854775808, -4611686018427387904, -1152921504606846976, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 4611686018427387903, 2305843009213693951, 576460752303423487, 0, 0, 0, 0, 9223372036854775807, 4611686018427387903, 1152921504606846975, 0, 0]> : tensor<49xi64>
  func.return
}

func.func @shift_right_arithmetic_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xui2>
  check.expect_eq_const %result, dense<[0, 0, 0, 1, 0, 0, 3, 3, 3]> : tensor<9xui2>
  func.return
}

func.func @shift_right_arithmetic_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xui4>
  check.expect_eq_const %result, dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 7, 3, 0, 0, 0, 15, 15, 15, 15, 15]> : tensor<25xui4>
  func.return
}

func.func @shift_right_arithmetic_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xui8>
  check.expect_eq_const %result, dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 127, 63, 15, 0, 0, 255, 255, 255, 255, 255]> : tensor<25xui8>
  func.return
}

func.func @shift_right_arithmetic_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xui16>
  check.expect_eq_const %result, dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 32767, 16383, 4095, 0, 0, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  func.return
}

func.func @shift_right_arithmetic_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xui32>
  check.expect_eq_const %result, dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2147483647, 1073741823, 268435455, 0, 0, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  func.return
}

func.func @shift_right_arithmetic_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs) : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xui64>
  check.expect_eq_const %result, dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 9223372036854775807, 4611686018427387903, 1152921504606846975, 0, 0, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  func.return
}
