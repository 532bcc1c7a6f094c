// RUN: assay test %s
// stablehlo.reduce_precision. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @reduce_precision_e8m23_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 8 : i32, mantissa_bits = 23 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

func.func @reduce_precision_e5m10_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.099609375, 1.0625, 1.1875, -3.30078125, 65504.0, 0x7F800000, 0.0, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

func.func @reduce_precision_e8m7_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.1015625, 1.0625, 1.1875, -3.296875, 65536.0, 65536.0, 1.0013580322265625e-05, 9.969209968386869e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

func.func @reduce_precision_e4m3_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 4 : i32, mantissa_bits = 3 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.125, 1.0, 1.25, -3.25, 0x7F800000, 0x7F800000, 0.0, 0x7F800000, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

func.func @reduce_precision_e8m3_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 8 : i32, mantissa_bits = 3 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.125, 1.0, 1.25, -3.25, 65536.0, 65536.0, 9.5367431640625e-06, 9.570441569651394e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  func.return
}

func.func @reduce_precision_e5m0_f32() {
  %operand = stablehlo.constant dense<[0.0, -0.0, 1.0, 1.100000023841858, 1.0625, 1.1875, -3.299999952316284, 65504.0, 65520.0, 9.999999747378752e-06, 9.999999680285692e+37, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>
  %result = "stablehlo.reduce_precision"(%operand) {exponent_bits = 5 : i32, mantissa_bits = 0 : i32} : (tensor<14xf32>) -> tensor<14xf32>
  check.expect_eq_const %result, dense<[0.0, -0.0, 1.0, 1.0, 1.0, 1.0, -4.0, 0x7F800000, 0x7F800000, 0.0, 0x7F800000, 0x7F800000, 0xFF800000, 0x7F800000]> : tensor<14xf32>
  func.return
}
