// RUN: assay test %s
// stablehlo.convert. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @convert_f16_to_i2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi2>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 1, 1, -2, 1, -2, 1, 0, 1, -2]> : tensor<13xi2>
  func.return
}

func.func @convert_f16_to_i4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 7, -8, 7, -8, 7, 0, 7, -8]> : tensor<13xi4>
  func.return
}

func.func @convert_f16_to_i8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 127, -128, 127, -128, 127, 0, 127, -128]> : tensor<13xi8>
  func.return
}

func.func @convert_f16_to_i16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 32767, -32768, 32767, 0, 32767, -32768]> : tensor<13xi16>
  func.return
}

func.func @convert_f16_to_i32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 2147483647, -2147483648, 2147483647, 0, 2147483647, -2147483648]> : tensor<13xi32>
  func.return
}

func.func @convert_f16_to_i64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 9223372036854775807, -9223372036854775808, 9223372036854775807, 0, 9223372036854775807, -9223372036854775808]> : tensor<13xi64>
  func.return
}

func.func @convert_f16_to_ui2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui2>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 3, 0, 3, 0, 3, 0, 3, 0]> : tensor<13xui2>
  func.return
}

func.func @convert_f16_to_ui4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui4>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 15, 0, 15, 0, 15, 0, 15, 0]> : tensor<13xui4>
  func.return
}

func.func @convert_f16_to_ui8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 255, 0, 255, 0, 255, 0, 255, 0]> : tensor<13xui8>
  func.return
}

func.func @convert_f16_to_ui16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui16>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65535, 0, 65535, 0, 65535, 0]> : tensor<13xui16>
  func.return
}

func.func @convert_f16_to_ui32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui32>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 4294967295, 0, 4294967295, 0, 4294967295, 0]> : tensor<13xui32>
  func.return
}

func.func @convert_f16_to_ui64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xui64>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 18446744073709551615, 0, 18446744073709551615, 0, 18446744073709551615, 0]> : tensor<13xui64>
  func.return
}

func.func @convert_f16_to_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf16>) -> tensor<7xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 288.0, -288.0]> : tensor<7xf8E4M3FN>
  func.return
}

func.func @convert_f16_to_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf16>) -> tensor<7xf8E5M2>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 320.0, -320.0]> : tensor<7xf8E5M2>
  func.return
}

func.func @convert_f16_to_bf16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf16>) -> tensor<7xbf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xbf16>
  func.return
}

func.func @convert_f16_to_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf16>) -> tensor<7xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf32>
  func.return
}

func.func @convert_f16_to_f64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf16>) -> tensor<7xf64>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf64>
  func.return
}

func.func @convert_f16_to_i1() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 0x7C00, 0xFC00, 0x7C00, 0x7E00, 0x7C00, 0xFC00]> : tensor<13xf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf16>) -> tensor<13xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
  func.return
}

func.func @convert_bf16_to_i2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi2>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 1, 1, -2, 1, -2, 1, 0, 1, -2]> : tensor<13xi2>
  func.return
}

func.func @convert_bf16_to_i4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 7, -8, 7, -8, 7, 0, 7, -8]> : tensor<13xi4>
  func.return
}

func.func @convert_bf16_to_i8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 127, -128, 127, -128, 127, 0, 127, -128]> : tensor<13xi8>
  func.return
}

func.func @convert_bf16_to_i16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 32767, -32768, 32767, 0, 32767, -32768]> : tensor<13xi16>
  func.return
}

func.func @convert_bf16_to_i32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -2147483648, 2147483647, 0, 2147483647, -2147483648]> : tensor<13xi32>
  func.return
}

func.func @convert_bf16_to_i64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -3003121664, 9999220736, 0, 9223372036854775807, -9223372036854775808]> : tensor<13xi64>
  func.return
}

func.func @convert_bf16_to_ui2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui2>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 3, 0, 3, 0, 3, 0, 3, 0]> : tensor<13xui2>
  func.return
}

func.func @convert_bf16_to_ui4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui4>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 15, 0, 15, 0, 15, 0, 15, 0]> : tensor<13xui4>
  func.return
}

func.func @convert_bf16_to_ui8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 255, 0, 255, 0, 255, 0, 255, 0]> : tensor<13xui8>
  func.return
}

func.func @convert_bf16_to_ui16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui16>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65535, 0, 65535, 0, 65535, 0]> : tensor<13xui16>
  func.return
}

func.func @convert_bf16_to_ui32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui32>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 4294967295, 0, 4294967295, 0]> : tensor<13xui32>
  func.return
}

func.func @convert_bf16_to_ui64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xui64>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 9999220736, 0, 18446744073709551615, 0]> : tensor<13xui64>
  func.return
}

func.func @convert_bf16_to_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xbf16>) -> tensor<7xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 288.0, -288.0]> : tensor<7xf8E4M3FN>
  func.return
}

func.func @convert_bf16_to_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xbf16>) -> tensor<7xf8E5M2>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 320.0, -320.0]> : tensor<7xf8E5M2>
  func.return
}

func.func @convert_bf16_to_f16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<7xbf16>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  func.return
}

func.func @convert_bf16_to_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<10xbf16>) -> tensor<10xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xf32>
  func.return
}

func.func @convert_bf16_to_f64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<10xbf16>) -> tensor<10xf64>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xf64>
  func.return
}

func.func @convert_bf16_to_i1() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0, 0x7FC0, 0x7F80, 0xFF80]> : tensor<13xbf16>
  %result = "stablehlo.convert"(%operand) : (tensor<13xbf16>) -> tensor<13xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
  func.return
}

func.func @convert_f32_to_i2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi2>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 1, 1, -2, 1, -2, 1, 0, 1, -2]> : tensor<13xi2>
  func.return
}

func.func @convert_f32_to_i4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 7, -8, 7, -8, 7, 0, 7, -8]> : tensor<13xi4>
  func.return
}

func.func @convert_f32_to_i8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 127, -128, 127, -128, 127, 0, 127, -128]> : tensor<13xi8>
  func.return
}

func.func @convert_f32_to_i16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 32767, -32768, 32767, 0, 32767, -32768]> : tensor<13xi16>
  func.return
}

func.func @convert_f32_to_i32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -2147483648, 2147483647, 0, 2147483647, -2147483648]> : tensor<13xi32>
  func.return
}

func.func @convert_f32_to_i64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -3000000000, 10000000000, 0, 9223372036854775807, -9223372036854775808]> : tensor<13xi64>
  func.return
}

func.func @convert_f32_to_ui2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui2>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 3, 0, 3, 0, 3, 0, 3, 0]> : tensor<13xui2>
  func.return
}

func.func @convert_f32_to_ui4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui4>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 15, 0, 15, 0, 15, 0, 15, 0]> : tensor<13xui4>
  func.return
}

func.func @convert_f32_to_ui8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 255, 0, 255, 0, 255, 0, 255, 0]> : tensor<13xui8>
  func.return
}

func.func @convert_f32_to_ui16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui16>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65535, 0, 65535, 0, 65535, 0]> : tensor<13xui16>
  func.return
}

func.func @convert_f32_to_ui32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui32>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 4294967295, 0, 4294967295, 0]> : tensor<13xui32>
  func.return
}

func.func @convert_f32_to_ui64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xui64>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 10000000000, 0, 18446744073709551615, 0]> : tensor<13xui64>
  func.return
}

func.func @convert_f32_to_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf32>) -> tensor<7xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 288.0, -288.0]> : tensor<7xf8E4M3FN>
  func.return
}

func.func @convert_f32_to_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf32>) -> tensor<7xf8E5M2>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 320.0, -320.0]> : tensor<7xf8E5M2>
  func.return
}

func.func @convert_f32_to_bf16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<10xf32>) -> tensor<10xbf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xbf16>
  func.return
}

func.func @convert_f32_to_f16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf32>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  func.return
}

func.func @convert_f32_to_f64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<10xf32>) -> tensor<10xf64>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf64>
  func.return
}

func.func @convert_f32_to_i1() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<13xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf32>) -> tensor<13xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
  func.return
}

func.func @convert_f64_to_i2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi2>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 1, 1, -2, 1, -2, 1, 0, 1, -2]> : tensor<13xi2>
  func.return
}

func.func @convert_f64_to_i4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 7, -8, 7, -8, 7, 0, 7, -8]> : tensor<13xi4>
  func.return
}

func.func @convert_f64_to_i8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 127, -128, 127, -128, 127, 0, 127, -128]> : tensor<13xi8>
  func.return
}

func.func @convert_f64_to_i16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi16>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 32767, -32768, 32767, 0, 32767, -32768]> : tensor<13xi16>
  func.return
}

func.func @convert_f64_to_i32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -2147483648, 2147483647, 0, 2147483647, -2147483648]> : tensor<13xi32>
  func.return
}

func.func @convert_f64_to_i64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi64>
  check.expect_eq_const %result, dense<[0, 0, 1, -1, 2, 300, -300, 65536, -3000000000, 10000000000, 0, 9223372036854775807, -9223372036854775808]> : tensor<13xi64>
  func.return
}

func.func @convert_f64_to_ui2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui2>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 3, 0, 3, 0, 3, 0, 3, 0]> : tensor<13xui2>
  func.return
}

func.func @convert_f64_to_ui4() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui4>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 15, 0, 15, 0, 15, 0, 15, 0]> : tensor<13xui4>
  func.return
}

func.func @convert_f64_to_ui8() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 255, 0, 255, 0, 255, 0, 255, 0]> : tensor<13xui8>
  func.return
}

func.func @convert_f64_to_ui16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui16>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65535, 0, 65535, 0, 65535, 0]> : tensor<13xui16>
  func.return
}

func.func @convert_f64_to_ui32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui32>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 4294967295, 0, 4294967295, 0]> : tensor<13xui32>
  func.return
}

func.func @convert_f64_to_ui64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xui64>
  check.expect_eq_const %result, dense<[0, 0, 1, 0, 2, 300, 0, 65536, 0, 10000000000, 0, 18446744073709551615, 0]> : tensor<13xui64>
  func.return
}

func.func @convert_f64_to_f8E4M3FN() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf64>) -> tensor<7xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 288.0, -288.0]> : tensor<7xf8E4M3FN>
  func.return
}

func.func @convert_f64_to_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf64>) -> tensor<7xf8E5M2>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 320.0, -320.0]> : tensor<7xf8E5M2>
  func.return
}

func.func @convert_f64_to_bf16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<10xf64>) -> tensor<10xbf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3003121664.0, 9999220736.0]> : tensor<10xbf16>
  func.return
}

func.func @convert_f64_to_f16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<7xf64>) -> tensor<7xf16>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0]> : tensor<7xf16>
  func.return
}

func.func @convert_f64_to_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<10xf64>) -> tensor<10xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0]> : tensor<10xf32>
  func.return
}

func.func @convert_f64_to_i1() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3000000000.0, 10000000000.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<13xf64>
  %result = "stablehlo.convert"(%operand) : (tensor<13xf64>) -> tensor<13xi1>
  check.expect_eq_const %result, dense<[false, false, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
  func.return
}

func.func @convert_i2_to_i1() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xi1>
  check.expect_eq_const %result, dense<[true, false, true]> : tensor<3xi1>
  func.return
}

func.func @convert_i2_to_i4() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xi4>
  check.expect_eq_const %result, dense<[-2, 0, 1]> : tensor<3xi4>
  func.return
}

func.func @convert_i2_to_i8() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xi8>
  check.expect_eq_const %result, dense<[-2, 0, 1]> : tensor<3xi8>
  func.return
}

func.func @convert_i2_to_i32() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[-2, 0, 1]> : tensor<3xi32>
  func.return
}

func.func @convert_i2_to_i64() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xi64>
  check.expect_eq_const %result, dense<[-2, 0, 1]> : tensor<3xi64>
  func.return
}

func.func @convert_i2_to_ui8() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xui8>
  check.expect_eq_const %result, dense<[254, 0, 1]> : tensor<3xui8>
  func.return
}

func.func @convert_i2_to_ui64() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xui64>
  check.expect_eq_const %result, dense<[18446744073709551614, 0, 1]> : tensor<3xui64>
  func.return
}

func.func @convert_i2_to_bf16() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xbf16>
  check.expect_eq_const %result, dense<[-2.0, 0.0, 1.0]> : tensor<3xbf16>
  func.return
}

func.func @convert_i2_to_f32() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[-2.0, 0.0, 1.0]> : tensor<3xf32>
  func.return
}

func.func @convert_i2_to_f64() {
  %operand = stablehlo.constant dense<[-2, 0, 1]> : tensor<3xi2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi2>) -> tensor<3xf64>
  check.expect_eq_const %result, dense<[-2.0, 0.0, 1.0]> : tensor<3xf64>
  func.return
}

func.func @convert_i4_to_i1() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xi1>
  check.expect_eq_const %result, dense<[true, false, true, true, true]> : tensor<5xi1>
  func.return
}

func.func @convert_i4_to_i8() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xi8>
  check.expect_eq_const %result, dense<[-8, 0, 1, 2, 7]> : tensor<5xi8>
  func.return
}

func.func @convert_i4_to_i32() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xi32>
  check.expect_eq_const %result, dense<[-8, 0, 1, 2, 7]> : tensor<5xi32>
  func.return
}

func.func @convert_i4_to_i64() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xi64>
  check.expect_eq_const %result, dense<[-8, 0, 1, 2, 7]> : tensor<5xi64>
  func.return
}

func.func @convert_i4_to_ui8() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[248, 0, 1, 2, 7]> : tensor<5xui8>
  func.return
}

func.func @convert_i4_to_ui64() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[18446744073709551608, 0, 1, 2, 7]> : tensor<5xui64>
  func.return
}

func.func @convert_i4_to_bf16() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[-8.0, 0.0, 1.0, 2.0, 7.0]> : tensor<5xbf16>
  func.return
}

func.func @convert_i4_to_f32() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-8.0, 0.0, 1.0, 2.0, 7.0]> : tensor<5xf32>
  func.return
}

func.func @convert_i4_to_f64() {
  %operand = stablehlo.constant dense<[-8, 0, 1, 2, 7]> : tensor<5xi4>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi4>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[-8.0, 0.0, 1.0, 2.0, 7.0]> : tensor<5xf64>
  func.return
}

func.func @convert_i8_to_i1() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xi1>
  check.expect_eq_const %result, dense<[true, false, true, true, true]> : tensor<5xi1>
  func.return
}

func.func @convert_i8_to_i4() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -6, -1]> : tensor<5xi4>
  func.return
}

func.func @convert_i8_to_i32() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xi32>
  check.expect_eq_const %result, dense<[-128, 0, 1, 42, 127]> : tensor<5xi32>
  func.return
}

func.func @convert_i8_to_i64() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xi64>
  check.expect_eq_const %result, dense<[-128, 0, 1, 42, 127]> : tensor<5xi64>
  func.return
}

func.func @convert_i8_to_ui8() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[128, 0, 1, 42, 127]> : tensor<5xui8>
  func.return
}

func.func @convert_i8_to_ui64() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[18446744073709551488, 0, 1, 42, 127]> : tensor<5xui64>
  func.return
}

func.func @convert_i8_to_bf16() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[-128.0, 0.0, 1.0, 42.0, 127.0]> : tensor<5xbf16>
  func.return
}

func.func @convert_i8_to_f32() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-128.0, 0.0, 1.0, 42.0, 127.0]> : tensor<5xf32>
  func.return
}

func.func @convert_i8_to_f64() {
  %operand = stablehlo.constant dense<[-128, 0, 1, 42, 127]> : tensor<5xi8>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi8>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[-128.0, 0.0, 1.0, 42.0, 127.0]> : tensor<5xf64>
  func.return
}

func.func @convert_i16_to_i1() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xi1>
  check.expect_eq_const %result, dense<[true, false, true, true, true]> : tensor<5xi1>
  func.return
}

func.func @convert_i16_to_i4() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -6, -1]> : tensor<5xi4>
  func.return
}

func.func @convert_i16_to_i8() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -86, -1]> : tensor<5xi8>
  func.return
}

func.func @convert_i16_to_i32() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xi32>
  check.expect_eq_const %result, dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi32>
  func.return
}

func.func @convert_i16_to_i64() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xi64>
  check.expect_eq_const %result, dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi64>
  func.return
}

func.func @convert_i16_to_ui8() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 170, 255]> : tensor<5xui8>
  func.return
}

func.func @convert_i16_to_ui64() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[18446744073709518848, 0, 1, 10922, 32767]> : tensor<5xui64>
  func.return
}

func.func @convert_i16_to_bf16() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[-32768.0, 0.0, 1.0, 10944.0, 32768.0]> : tensor<5xbf16>
  func.return
}

func.func @convert_i16_to_f32() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-32768.0, 0.0, 1.0, 10922.0, 32767.0]> : tensor<5xf32>
  func.return
}

func.func @convert_i16_to_f64() {
  %operand = stablehlo.constant dense<[-32768, 0, 1, 10922, 32767]> : tensor<5xi16>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi16>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[-32768.0, 0.0, 1.0, 10922.0, 32767.0]> : tensor<5xf64>
  func.return
}

func.func @convert_i32_to_i1() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xi1>
  check.expect_eq_const %result, dense<[true, false, true, true, true]> : tensor<5xi1>
  func.return
}

func.func @convert_i32_to_i4() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -6, -1]> : tensor<5xi4>
  func.return
}

func.func @convert_i32_to_i8() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -86, -1]> : tensor<5xi8>
  func.return
}

func.func @convert_i32_to_i64() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xi64>
  check.expect_eq_const %result, dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi64>
  func.return
}

func.func @convert_i32_to_ui8() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 170, 255]> : tensor<5xui8>
  func.return
}

func.func @convert_i32_to_ui64() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[18446744071562067968, 0, 1, 715827882, 2147483647]> : tensor<5xui64>
  func.return
}

func.func @convert_i32_to_bf16() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[-2147483648.0, 0.0, 1.0, 717225984.0, 2147483648.0]> : tensor<5xbf16>
  func.return
}

func.func @convert_i32_to_f32() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-2147483648.0, 0.0, 1.0, 715827904.0, 2147483648.0]> : tensor<5xf32>
  func.return
}

func.func @convert_i32_to_f64() {
  %operand = stablehlo.constant dense<[-2147483648, 0, 1, 715827882, 2147483647]> : tensor<5xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi32>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[-2147483648.0, 0.0, 1.0, 715827882.0, 2147483647.0]> : tensor<5xf64>
  func.return
}

func.func @convert_i64_to_i1() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xi1>
  check.expect_eq_const %result, dense<[true, false, true, true, true]> : tensor<5xi1>
  func.return
}

func.func @convert_i64_to_i4() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xi4>
  check.expect_eq_const %result, dense<[0, 0, 1, -6, -1]> : tensor<5xi4>
  func.return
}

func.func @convert_i64_to_i8() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xi8>
  check.expect_eq_const %result, dense<[0, 0, 1, -86, -1]> : tensor<5xi8>
  func.return
}

func.func @convert_i64_to_i32() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xi32>
  check.expect_eq_const %result, dense<[0, 0, 1, -1431655766, -1]> : tensor<5xi32>
  func.return
}

func.func @convert_i64_to_ui8() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xui8>
  check.expect_eq_const %result, dense<[0, 0, 1, 170, 255]> : tensor<5xui8>
  func.return
}

func.func @convert_i64_to_ui64() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xui64>
  check.expect_eq_const %result, dense<[9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xui64>
  func.return
}

func.func @convert_i64_to_bf16() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[-9.223372036854776e+18, 0.0, 1.0, 3.0804621451214193e+18, 9.223372036854776e+18]> : tensor<5xbf16>
  func.return
}

func.func @convert_i64_to_f32() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[-9.223372036854776e+18, 0.0, 1.0, 3.0744574372442276e+18, 9.223372036854776e+18]> : tensor<5xf32>
  func.return
}

func.func @convert_i64_to_f64() {
  %operand = stablehlo.constant dense<[-9223372036854775808, 0, 1, 3074457345618258602, 9223372036854775807]> : tensor<5xi64>
  %result = "stablehlo.convert"(%operand) : (tensor<5xi64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[-9.223372036854776e+18, 0.0, 1.0, 3.0744573456182584e+18, 9.223372036854776e+18]> : tensor<5xf64>
  func.return
}

func.func @convert_ui2_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xi1>
  check.expect_eq_const %result, dense<[false, true, true]> : tensor<3xi1>
  func.return
}

func.func @convert_ui2_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xi4>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xi4>
  func.return
}

func.func @convert_ui2_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xi8>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xi8>
  func.return
}

func.func @convert_ui2_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xi32>
  func.return
}

func.func @convert_ui2_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xi64>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xi64>
  func.return
}

func.func @convert_ui2_to_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xui8>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xui8>
  func.return
}

func.func @convert_ui2_to_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xui64>
  check.expect_eq_const %result, dense<[0, 1, 3]> : tensor<3xui64>
  func.return
}

func.func @convert_ui2_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 3.0]> : tensor<3xbf16>
  func.return
}

func.func @convert_ui2_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 3.0]> : tensor<3xf32>
  func.return
}

func.func @convert_ui2_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 3]> : tensor<3xui2>
  %result = "stablehlo.convert"(%operand) : (tensor<3xui2>) -> tensor<3xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 3.0]> : tensor<3xf64>
  func.return
}

func.func @convert_ui4_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}

func.func @convert_ui4_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[0, 1, 5, -1]> : tensor<4xi4>
  func.return
}

func.func @convert_ui4_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[0, 1, 5, 15]> : tensor<4xi8>
  func.return
}

func.func @convert_ui4_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[0, 1, 5, 15]> : tensor<4xi32>
  func.return
}

func.func @convert_ui4_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 5, 15]> : tensor<4xi64>
  func.return
}

func.func @convert_ui4_to_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xui8>
  check.expect_eq_const %result, dense<[0, 1, 5, 15]> : tensor<4xui8>
  func.return
}

func.func @convert_ui4_to_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xui64>
  check.expect_eq_const %result, dense<[0, 1, 5, 15]> : tensor<4xui64>
  func.return
}

func.func @convert_ui4_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 5.0, 15.0]> : tensor<4xbf16>
  func.return
}

func.func @convert_ui4_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 5.0, 15.0]> : tensor<4xf32>
  func.return
}

func.func @convert_ui4_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 5, 15]> : tensor<4xui4>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui4>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 5.0, 15.0]> : tensor<4xf64>
  func.return
}

func.func @convert_ui8_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}

func.func @convert_ui8_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[0, 1, 5, -1]> : tensor<4xi4>
  func.return
}

func.func @convert_ui8_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[0, 1, 85, -1]> : tensor<4xi8>
  func.return
}

func.func @convert_ui8_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xi32>
  func.return
}

func.func @convert_ui8_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xi64>
  func.return
}

func.func @convert_ui8_to_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xui64>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xui64>
  func.return
}

func.func @convert_ui8_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 85.0, 255.0]> : tensor<4xbf16>
  func.return
}

func.func @convert_ui8_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 85.0, 255.0]> : tensor<4xf32>
  func.return
}

func.func @convert_ui8_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 85, 255]> : tensor<4xui8>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui8>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 85.0, 255.0]> : tensor<4xf64>
  func.return
}

func.func @convert_ui16_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}

func.func @convert_ui16_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[0, 1, 5, -1]> : tensor<4xi4>
  func.return
}

func.func @convert_ui16_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[0, 1, 85, -1]> : tensor<4xi8>
  func.return
}

func.func @convert_ui16_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[0, 1, 21845, 65535]> : tensor<4xi32>
  func.return
}

func.func @convert_ui16_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 21845, 65535]> : tensor<4xi64>
  func.return
}

func.func @convert_ui16_to_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xui8>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xui8>
  func.return
}

func.func @convert_ui16_to_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xui64>
  check.expect_eq_const %result, dense<[0, 1, 21845, 65535]> : tensor<4xui64>
  func.return
}

func.func @convert_ui16_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 21888.0, 65536.0]> : tensor<4xbf16>
  func.return
}

func.func @convert_ui16_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 21845.0, 65535.0]> : tensor<4xf32>
  func.return
}

func.func @convert_ui16_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 21845, 65535]> : tensor<4xui16>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui16>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 21845.0, 65535.0]> : tensor<4xf64>
  func.return
}

func.func @convert_ui32_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}

func.func @convert_ui32_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[0, 1, 5, -1]> : tensor<4xi4>
  func.return
}

func.func @convert_ui32_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[0, 1, 85, -1]> : tensor<4xi8>
  func.return
}

func.func @convert_ui32_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[0, 1, 1431655765, -1]> : tensor<4xi32>
  func.return
}

func.func @convert_ui32_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 1431655765, 4294967295]> : tensor<4xi64>
  func.return
}

func.func @convert_ui32_to_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xui8>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xui8>
  func.return
}

func.func @convert_ui32_to_ui64() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xui64>
  check.expect_eq_const %result, dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui64>
  func.return
}

func.func @convert_ui32_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1434451968.0, 4294967296.0]> : tensor<4xbf16>
  func.return
}

func.func @convert_ui32_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1431655808.0, 4294967296.0]> : tensor<4xf32>
  func.return
}

func.func @convert_ui32_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 1431655765, 4294967295]> : tensor<4xui32>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui32>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 1431655765.0, 4294967295.0]> : tensor<4xf64>
  func.return
}

func.func @convert_ui64_to_i1() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}

func.func @convert_ui64_to_i4() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[0, 1, 5, -1]> : tensor<4xi4>
  func.return
}

func.func @convert_ui64_to_i8() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[0, 1, 85, -1]> : tensor<4xi8>
  func.return
}

func.func @convert_ui64_to_i32() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[0, 1, 1431655765, -1]> : tensor<4xi32>
  func.return
}

func.func @convert_ui64_to_i64() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 6148914691236517205, -1]> : tensor<4xi64>
  func.return
}

func.func @convert_ui64_to_ui8() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xui8>
  check.expect_eq_const %result, dense<[0, 1, 85, 255]> : tensor<4xui8>
  func.return
}

func.func @convert_ui64_to_bf16() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 6.160924290242839e+18, 1.8446744073709552e+19]> : tensor<4xbf16>
  func.return
}

func.func @convert_ui64_to_f32() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 6.148914874488455e+18, 1.8446744073709552e+19]> : tensor<4xf32>
  func.return
}

func.func @convert_ui64_to_f64() {
  %operand = stablehlo.constant dense<[0, 1, 6148914691236517205, 18446744073709551615]> : tensor<4xui64>
  %result = "stablehlo.convert"(%operand) : (tensor<4xui64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 6.148914691236517e+18, 1.8446744073709552e+19]> : tensor<4xf64>
  func.return
}

func.func @convert_i1_to_i2() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xi2>
  check.expect_eq_const %result, dense<[0, 1]> : tensor<2xi2>
  func.return
}

func.func @convert_i1_to_ui4() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xui4>
  check.expect_eq_const %result, dense<[0, 1]> : tensor<2xui4>
  func.return
}

func.func @convert_i1_to_i32() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[0, 1]> : tensor<2xi32>
  func.return
}

func.func @convert_i1_to_ui64() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xui64>
  check.expect_eq_const %result, dense<[0, 1]> : tensor<2xui64>
  func.return
}

func.func @convert_i1_to_f8E4M3FN() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xf8E4M3FN>
  check.expect_eq_const %result, dense<[0.0, 1.0]> : tensor<2xf8E4M3FN>
  func.return
}

func.func @convert_i1_to_bf16() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0]> : tensor<2xbf16>
  func.return
}

func.func @convert_i1_to_f32() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0]> : tensor<2xf32>
  func.return
}

func.func @convert_i1_to_f64() {
  %operand = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %result = "stablehlo.convert"(%operand) : (tensor<2xi1>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0]> : tensor<2xf64>
  func.return
}

func.func @convert_f32_to_complex_f64() {
  %operand = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<2xf32>) -> tensor<2xcomplex<f64>>
  check.expect_eq_const %result, dense<[(1.5, 0.0), (-2.0, 0.0)]> : tensor<2xcomplex<f64>>
  func.return
}

func.func @convert_complex_f64_to_complex_f32() {
  %operand = stablehlo.constant dense<[(0.1, 2.0)]> : tensor<1xcomplex<f64>>
  %result = "stablehlo.convert"(%operand) : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f32>>
  check.expect_eq_const %result, dense<[(0.10000000149011612, 2.0)]> : tensor<1xcomplex<f32>>
  func.return
}

func.func @convert_complex_f32_to_i1() {
  %operand = stablehlo.constant dense<[(0.0, 1.0), (2.0, 0.0), (0.0, 0.0)]> : tensor<3xcomplex<f32>>
  %result = "stablehlo.convert"(%operand) : (tensor<3xcomplex<f32>>) -> tensor<3xi1>
  check.expect_eq_const %result, dense<[false, true, false]> : tensor<3xi1>
  func.return
}

func.func @convert_scalar() {
  %operand = stablehlo.constant dense<2.75> : tensor<f32>
  %result = "stablehlo.convert"(%operand) : (tensor<f32>) -> tensor<i32>
  check.expect_eq_const %result, dense<2> : tensor<i32>
  func.return
}

func.func @convert_splat() {
  %operand = stablehlo.constant dense<2.75> : tensor<3x2xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xi32>
  check.expect_eq_const %result, dense<2> : tensor<3x2xi32>
  func.return
}

func.func @convert_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.convert"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xi32>
  check.expect_eq_const %result, dense<> : tensor<0x3xi32>
  func.return
}
