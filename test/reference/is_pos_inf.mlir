// RUN: assay test %s
// chlo.is_pos_inf. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @is_pos_inf_bf16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<7xbf16>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<7xbf16>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_pos_inf_f16() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<7xf16>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<7xf16>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_pos_inf_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<7xf32>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<7xf32>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_pos_inf_f64() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<7xf64>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_pos_inf_f8E5M2() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7C, 0xFC, 0x7E]> : tensor<7xf8E5M2>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<7xf8E5M2>) -> tensor<7xi1>
  check.expect_eq_const %result, dense<[false, false, false, false, true, false, false]> : tensor<7xi1>
  func.return
}

func.func @is_pos_inf_scalar() {
  %operand = stablehlo.constant dense<1.0> : tensor<f32>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<f32>) -> tensor<i1>
  check.expect_eq_const %result, dense<false> : tensor<i1>
  func.return
}

func.func @is_pos_inf_splat() {
  %operand = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xi1>
  check.expect_eq_const %result, dense<false> : tensor<3x2xi1>
  func.return
}

func.func @is_pos_inf_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.is_pos_inf"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xi1>
  check.expect_eq_const %result, dense<> : tensor<0x3xi1>
  func.return
}
