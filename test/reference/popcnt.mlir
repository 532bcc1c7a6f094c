// RUN: assay test %s
// stablehlo.popcnt. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @popcnt_i2() {
  %operand = stablehlo.constant dense<[-2, -1, 0, 1]> : tensor<4xi2>
  %result = "stablehlo.popcnt"(%operand) : (tensor<4xi2>) -> tensor<4xi2>
  check.expect_eq_const %result, dense<[1, -2, 0, 1]> : tensor<4xi2>
  func.return
}

func.func @popcnt_i4() {
  %operand = stablehlo.constant dense<[-8, -1, 0, 1, 2, 7]> : tensor<6xi4>
  %result = "stablehlo.popcnt"(%operand) : (tensor<6xi4>) -> tensor<6xi4>
  check.expect_eq_const %result, dense<[1, 4, 0, 1, 1, 3]> : tensor<6xi4>
  func.return
}

func.func @popcnt_i8() {
  %operand = stablehlo.constant dense<[-128, -1, 0, 1, 42, 100, 127]> : tensor<7xi8>
  %result = "stablehlo.popcnt"(%operand) : (tensor<7xi8>) -> tensor<7xi8>
  check.expect_eq_const %result, dense<[1, 8, 0, 1, 3, 3, 7]> : tensor<7xi8>
  func.return
}

func.func @popcnt_i16() {
  %operand = stablehlo.constant dense<[-32768, -1, 0, 1, 100, 10922, 32767]> : tensor<7xi16>
  %result = "stablehlo.popcnt"(%operand) : (tensor<7xi16>) -> tensor<7xi16>
  check.expect_eq_const %result, dense<[1, 16, 0, 1, 3, 7, 15]> : tensor<7xi16>
  func.return
}

func.func @popcnt_i32() {
  %operand = stablehlo.constant dense<[-2147483648, -1, 0, 1, 100, 715827882, 2147483647]> : tensor<7xi32>
  %result = "stablehlo.popcnt"(%operand) : (tensor<7xi32>) -> tensor<7xi32>
  check.expect_eq_const %result, dense<[1, 32, 0, 1, 3, 15, 31]> : tensor<7xi32>
  func.return
}

func.func @popcnt_i64() {
  %operand = stablehlo.constant dense<[-9223372036854775808, -1, 0, 1, 100, 3074457345618258602, 9223372036854775807]> : tensor<7xi64>
  %result = "stablehlo.popcnt"(%operand) : (tensor<7xi64>) -> tensor<7xi64>
  check.expect_eq_const %result, dense<[1, 64, 0, 1, 3, 31, 63]> : tensor<7xi64>
  func.return
}

func.func @popcnt_ui2() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.popcnt"(%operand) : (tensor<3xui2>) -> tensor<3xui2>
  check.expect_eq_const %result, dense<[0, 1, 2]> : tensor<3xui2>
  func.return
}

func.func @popcnt_ui4() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.popcnt"(%operand) : (tensor<4xui4>) -> tensor<4xui4>
  check.expect_eq_const %result, dense<[0, 1, 2, 4]> : tensor<4xui4>
  func.return
}

func.func @popcnt_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 85, 100, 255]> : tensor<5xui8>
  %result = "stablehlo.popcnt"(%operand) : (tensor<5xui8>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[0, 1, 4, 3, 8]> : tensor<5xui8>
  func.return
}

func.func @popcnt_ui16() {
  %operand = stablehlo.constant dense<[0, 1, 100, 21845, 65535]> : tensor<5xui16>
  %result = "stablehlo.popcnt"(%operand) : (tensor<5xui16>) -> tensor<5xui16>
  check.expect_eq_const %result, dense<[0, 1, 3, 8, 16]> : tensor<5xui16>
  func.return
}

func.func @popcnt_ui32() {
  %operand = stablehlo.constant dense<[0, 1, 100, 1431655765, 4294967295]> : tensor<5xui32>
  %result = "stablehlo.popcnt"(%operand) : (tensor<5xui32>) -> tensor<5xui32>
  check.expect_eq_const %result, dense<[0, 1, 3, 16, 32]> : tensor<5xui32>
  func.return
}

func.func @popcnt_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 100, 6148914691236517205, 18446744073709551615]> : tensor<5xui64>
  %result = "stablehlo.popcnt"(%operand) : (tensor<5xui64>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[0, 1, 3, 32, 64]> : tensor<5xui64>
  func.return
}
