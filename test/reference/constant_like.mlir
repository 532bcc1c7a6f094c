// RUN: assay test %s
// chlo.constant_like. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @constant_like_f32() {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %result = "chlo.constant_like"(%operand) {value = 2.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[2.5, 2.5]> : tensor<2xf32>
  func.return
}

func.func @constant_like_bf16() {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xbf16>
  %result = "chlo.constant_like"(%operand) {value = -1.5 : bf16} : (tensor<2xbf16>) -> tensor<2xbf16>
  check.expect_eq_const %result, dense<[-1.5, -1.5]> : tensor<2xbf16>
  func.return
}

func.func @constant_like_i8() {
  %operand = stablehlo.constant dense<[0, 1]> : tensor<2xi8>
  %result = "chlo.constant_like"(%operand) {value = -3 : i8} : (tensor<2xi8>) -> tensor<2xi8>
  check.expect_eq_const %result, dense<[-3, -3]> : tensor<2xi8>
  func.return
}
