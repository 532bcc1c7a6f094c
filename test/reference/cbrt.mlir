// RUN: assay test %s
// stablehlo.cbrt. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @cbrt_bf16() {
  %operand = stablehlo.constant dense<[-8.0, -0.5, 0.25, 1.0, 27.0, 1000.0]> : tensor<6xbf16>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-2.0, -0.79296875, 0.62890625, 1.0, 3.0, 10.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @cbrt_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "stablehlo.cbrt"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @cbrt_f16() {
  %operand = stablehlo.constant dense<[-8.0, -0.5, 0.25, 1.0, 27.0, 1000.0]> : tensor<6xf16>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-2.0, -0.79345703125, 0.6298828125, 1.0, 3.0, 10.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @cbrt_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "stablehlo.cbrt"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @cbrt_f32() {
  %operand = stablehlo.constant dense<[-8.0, -0.5, 0.25, 1.0, 27.0, 1000.0]> : tensor<6xf32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-2.0, -0.7937005162239075, 0.6299605369567871, 1.0, 3.0, 10.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @cbrt_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @cbrt_f64() {
  %operand = stablehlo.constant dense<[-8.0, -0.5, 0.25, 1.0, 27.0, 1000.0]> : tensor<6xf64>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-2.0, -0.7937005259840998, 0.6299605249474366, 1.0, 3.0, 10.0]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @cbrt_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "stablehlo.cbrt"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @cbrt_scalar() {
  %operand = stablehlo.constant dense<-8.0> : tensor<f32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-2.0> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @cbrt_splat() {
  %operand = stablehlo.constant dense<-8.0> : tensor<3x2xf32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-2.0> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @cbrt_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @cbrt_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.8139559626579285, 0.12680746614933014), (1.0039937496185303, 0.9132426977157593), (1.4425276517868042, -0.02002480998635292), (1.3588019609451294, -0.8226640224456787), (0.24200256168842316, -0.09359937161207199), (1.2786571979522705, 0.15364807844161987)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @cbrt_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.cbrt"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.8139559382747512, 0.1268074709786297), (1.0039937871212632, 0.9132426976122486), (1.4425276033157288, -0.020024809406029305), (1.3588019575071029, -0.8226640392768648), (0.24200256596901876, -0.09359937033926614), (1.2786571579784232, 0.15364807700526506)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
