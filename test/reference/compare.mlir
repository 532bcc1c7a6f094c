// RUN: assay test %s
// stablehlo.compare. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @compare_eq_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, false, false, false, false, true, false, false, false, false, true]> : tensor<16xi1>
  func.return
}

func.func @compare_eq_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true]> : tensor<36xi1>
  func.return
}

func.func @compare_eq_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, true, false, false, false, true]> : tensor<9xi1>
  func.return
}

func.func @compare_eq_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_eq_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_eq_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_eq_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_eq_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_eq_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[true, false, false, true]> : tensor<4xi1>
  func.return
}

func.func @compare_eq_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_eq_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true]> : tensor<81xi1>
  func.return
}

func.func @compare_eq_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true]> : tensor<81xi1>
  func.return
}

func.func @compare_ne_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, true, true, true, true, false, true, true, true, true, false]> : tensor<16xi1>
  func.return
}

func.func @compare_ne_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, true, true, true, true, true, true, false, true, true, true, true, true, true, false, true, true, true, true, true, true, false, true, true, true, true, true, true, false]> : tensor<36xi1>
  func.return
}

func.func @compare_ne_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, false, true, true, true, false]> : tensor<9xi1>
  func.return
}

func.func @compare_ne_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_ne_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_ne_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_ne_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_ne_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_ne_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, false]> : tensor<4xi1>
  func.return
}

func.func @compare_ne_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ne_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false]> : tensor<81xi1>
  func.return
}

func.func @compare_ne_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, false]> : tensor<81xi1>
  func.return
}

func.func @compare_lt_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, false, false, true, true, false, false, false, true, false, false, false, false]> : tensor<16xi1>
  func.return
}

func.func @compare_lt_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, false, false, true, true, true, true, false, false, false, true, true, true, false, false, false, false, true, true, false, false, false, false, false, true, false, false, false, false, false, false]> : tensor<36xi1>
  func.return
}

func.func @compare_lt_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[false, true, true, false, false, true, false, false, false]> : tensor<9xi1>
  func.return
}

func.func @compare_lt_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true, false, false, false, false, false]> : tensor<25xi1>
  func.return
}

func.func @compare_lt_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true, false, false, false, false, false]> : tensor<25xi1>
  func.return
}

func.func @compare_lt_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true, false, false, false, false, false]> : tensor<25xi1>
  func.return
}

func.func @compare_lt_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true, false, false, false, false, false]> : tensor<25xi1>
  func.return
}

func.func @compare_lt_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true, false, false, false, false, false]> : tensor<25xi1>
  func.return
}

func.func @compare_lt_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}

func.func @compare_lt_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_lt_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false]> : tensor<81xi1>
  func.return
}

func.func @compare_lt_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, true, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false]> : tensor<81xi1>
  func.return
}

func.func @compare_le_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, false, true, true, true, false, false, true, true, false, false, false, true]> : tensor<16xi1>
  func.return
}

func.func @compare_le_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, false, true, true, true, true, true, false, false, true, true, true, true, false, false, false, true, true, true, false, false, false, false, true, true, false, false, false, false, false, true]> : tensor<36xi1>
  func.return
}

func.func @compare_le_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[true, true, true, false, true, true, false, false, true]> : tensor<9xi1>
  func.return
}

func.func @compare_le_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_le_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_le_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_le_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_le_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, false, true, true, true, true, false, false, true, true, true, false, false, false, true, true, false, false, false, false, true]> : tensor<25xi1>
  func.return
}

func.func @compare_le_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[true, true, false, true]> : tensor<4xi1>
  func.return
}

func.func @compare_le_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_le_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, false, true, true, true, true, true, true, false, false, true, true, true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, true]> : tensor<49xi1>
  func.return
}

func.func @compare_le_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, false, true]> : tensor<81xi1>
  func.return
}

func.func @compare_le_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, false, false, true, true, true, true, true, false, false, false, false, false, true, true, true, true, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, false, true]> : tensor<81xi1>
  func.return
}

func.func @compare_gt_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false, false, true, true, false, false, true, true, true, false]> : tensor<16xi1>
  func.return
}

func.func @compare_gt_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, true, false, false, false, false, false, true, true, false, false, false, false, true, true, true, false, false, false, true, true, true, true, false, false, true, true, true, true, true, false]> : tensor<36xi1>
  func.return
}

func.func @compare_gt_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[false, false, false, true, false, false, true, true, false]> : tensor<9xi1>
  func.return
}

func.func @compare_gt_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_gt_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_gt_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_gt_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_gt_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false]> : tensor<25xi1>
  func.return
}

func.func @compare_gt_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, false, true, false]> : tensor<4xi1>
  func.return
}

func.func @compare_gt_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<49xi1>
  func.return
}

func.func @compare_gt_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, true, false]> : tensor<81xi1>
  func.return
}

func.func @compare_gt_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, true, false]> : tensor<81xi1>
  func.return
}

func.func @compare_ge_i2() {
  %lhs = stablehlo.constant dense<[-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi2>
  %rhs = stablehlo.constant dense<[-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]> : tensor<16xi2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, true, true, false, false, true, true, true, false, true, true, true, true]> : tensor<16xi1>
  func.return
}

func.func @compare_ge_i4() {
  %lhs = stablehlo.constant dense<[-8, -8, -8, -8, -8, -8, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7]> : tensor<36xi4>
  %rhs = stablehlo.constant dense<[-8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7, -8, -1, 0, 1, 3, 7]> : tensor<36xi4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<36xi4>, tensor<36xi4>) -> tensor<36xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, true, true, false, false, false, false, true, true, true, false, false, false, true, true, true, true, false, false, true, true, true, true, true, false, true, true, true, true, true, true]> : tensor<36xi1>
  func.return
}

func.func @compare_ge_i8() {
  %lhs = stablehlo.constant dense<[-128, -128, -128, -128, -128, -128, -128, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 63, 63, 63, 63, 63, 63, 63, 127, 127, 127, 127, 127, 127, 127]> : tensor<49xi8>
  %rhs = stablehlo.constant dense<[-128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127, -128, -1, 0, 1, 3, 63, 127]> : tensor<49xi8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi8>, tensor<49xi8>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_i16() {
  %lhs = stablehlo.constant dense<[-32768, -32768, -32768, -32768, -32768, -32768, -32768, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 16383, 16383, 16383, 16383, 16383, 16383, 16383, 32767, 32767, 32767, 32767, 32767, 32767, 32767]> : tensor<49xi16>
  %rhs = stablehlo.constant dense<[-32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767, -32768, -1, 0, 1, 3, 16383, 32767]> : tensor<49xi16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi16>, tensor<49xi16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_i32() {
  %lhs = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 1073741823, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<49xi32>
  %rhs = stablehlo.constant dense<[-2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647, -2147483648, -1, 0, 1, 3, 1073741823, 2147483647]> : tensor<49xi32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi32>, tensor<49xi32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_i64() {
  %lhs = stablehlo.constant dense<[-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 4611686018427387903, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]> : tensor<49xi64>
  %rhs = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807, -9223372036854775808, -1, 0, 1, 3, 4611686018427387903, 9223372036854775807]> : tensor<49xi64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_ui2() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 1, 1, 1, 3, 3, 3]> : tensor<9xui2>
  %rhs = stablehlo.constant dense<[0, 1, 3, 0, 1, 3, 0, 1, 3]> : tensor<9xui2>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xi1>
  check.expect_eq_const %result, dense<[true, false, false, true, true, false, true, true, true]> : tensor<9xi1>
  func.return
}

func.func @compare_ge_ui4() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15]> : tensor<25xui4>
  %rhs = stablehlo.constant dense<[0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15, 0, 1, 3, 7, 15]> : tensor<25xui4>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui4>, tensor<25xui4>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false, true, true, true, true, true]> : tensor<25xi1>
  func.return
}

func.func @compare_ge_ui8() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 127, 127, 127, 127, 127, 255, 255, 255, 255, 255]> : tensor<25xui8>
  %rhs = stablehlo.constant dense<[0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255, 0, 1, 3, 127, 255]> : tensor<25xui8>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui8>, tensor<25xui8>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false, true, true, true, true, true]> : tensor<25xi1>
  func.return
}

func.func @compare_ge_ui16() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 32767, 32767, 32767, 32767, 32767, 65535, 65535, 65535, 65535, 65535]> : tensor<25xui16>
  %rhs = stablehlo.constant dense<[0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535, 0, 1, 3, 32767, 65535]> : tensor<25xui16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui16>, tensor<25xui16>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false, true, true, true, true, true]> : tensor<25xi1>
  func.return
}

func.func @compare_ge_ui32() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295]> : tensor<25xui32>
  %rhs = stablehlo.constant dense<[0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295, 0, 1, 3, 2147483647, 4294967295]> : tensor<25xui32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui32>, tensor<25xui32>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false, true, true, true, true, true]> : tensor<25xi1>
  func.return
}

func.func @compare_ge_ui64() {
  %lhs = stablehlo.constant dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<25xui64>
  %rhs = stablehlo.constant dense<[0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615, 0, 1, 3, 9223372036854775807, 18446744073709551615]> : tensor<25xui64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<25xui64>, tensor<25xui64>) -> tensor<25xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, false, true, true, true, true, true]> : tensor<25xi1>
  func.return
}

func.func @compare_ge_i1() {
  %lhs = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %rhs = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[true, false, true, true]> : tensor<4xi1>
  func.return
}

func.func @compare_ge_bf16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f16() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f32() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f64() {
  %lhs = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_bf16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>
  %rhs = stablehlo.constant dense<[0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0, 0xFF80, -1.0, -0.0, 0.0, 1.0, 0x7F80, 0x7FC0]> : tensor<49xbf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xbf16>, tensor<49xbf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f16_totalorder() {
  %lhs = stablehlo.constant dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>
  %rhs = stablehlo.constant dense<[0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00, 0xFC00, -1.0, -0.0, 0.0, 1.0, 0x7C00, 0x7E00]> : tensor<49xf16>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf16>, tensor<49xf16>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f32_totalorder() {
  %lhs = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<49xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_f64_totalorder() {
  %lhs = stablehlo.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %rhs = stablehlo.constant dense<[0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0xFFF0000000000000, -1.0, -0.0, 0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<49xf64>, tensor<49xf64>) -> tensor<49xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, true, true, false, false, false, false, false, true, true, true, false, false, false, false, true, true, true, true, false, false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, false, true, true, true, true, true, true, true]> : tensor<49xi1>
  func.return
}

func.func @compare_ge_complex_f32() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f32>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f32>>, tensor<81xcomplex<f32>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true]> : tensor<81xi1>
  func.return
}

func.func @compare_ge_complex_f64() {
  %lhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, -1.0), (0.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0)]> : tensor<81xcomplex<f64>>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<81xcomplex<f64>>, tensor<81xcomplex<f64>>) -> tensor<81xi1>
  check.expect_eq_const %result, dense<[true, false, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true, false, false, false, false, false, false, true, true, true, true, false, false, false, false, false, true, true, true, true, true, false, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true]> : tensor<81xi1>
  func.return
}

func.func @compare_scalar() {
  %lhs = stablehlo.constant dense<1.0> : tensor<f32>
  %rhs = stablehlo.constant dense<2.0> : tensor<f32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %result, dense<true> : tensor<i1>
  func.return
}

func.func @compare_splat() {
  %lhs = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %rhs = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  check.expect_eq_const %result, dense<true> : tensor<3x2xi1>
  func.return
}

func.func @compare_empty() {
  %lhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %rhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xi1>
  check.expect_eq_const %result, dense<> : tensor<0x3xi1>
  func.return
}
