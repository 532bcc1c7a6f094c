// RUN: assay test %s
// stablehlo.exponential_minus_one. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @exponential_minus_one_bf16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 1.0, 5.0]> : tensor<6xbf16>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-1.0, -0.392578125, 0.00787353515625, 0.283203125, 1.71875, 147.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @exponential_minus_one_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, -1.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @exponential_minus_one_f16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 1.0, 5.0]> : tensor<6xf16>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-1.0, -0.3935546875, 0.007843017578125, 0.283935546875, 1.71875, 147.375]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @exponential_minus_one_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, -1.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @exponential_minus_one_f32() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 1.0, 5.0]> : tensor<6xf32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.9999545812606812, -0.39346933364868164, 0.007843097671866417, 0.2840254306793213, 1.718281865119934, 147.4131622314453]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @exponential_minus_one_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, -1.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @exponential_minus_one_f64() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 1.0, 5.0]> : tensor<6xf64>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.9999546000702375, -0.3934693402873666, 0.007843097206447977, 0.2840254166877415, 1.7182818284590453, 147.4131591025766]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @exponential_minus_one_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, -1.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @exponential_minus_one_scalar() {
  %operand = stablehlo.constant dense<-10.0> : tensor<f32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.9999545812606812> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @exponential_minus_one_splat() {
  %operand = stablehlo.constant dense<-10.0> : tensor<3x2xf32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.9999545812606812> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @exponential_minus_one_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @exponential_minus_one_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.5974665284156799, 0.4079001843929291), (-1.0928548574447632, 0.20289167761802673), (18.928823471069336, -2.5041589736938477), (-1.5090581178665161, 0.5893983840942383), (0.0077200718224048615, -0.015746908262372017), (4.406490325927734, 5.0366668701171875)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @exponential_minus_one_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.5974665191199127, 0.40790017007835977), (-1.0928549102840264, 0.2028916804701695), (18.92882288023536, -2.504158960797569), (-1.5090581637782094, 0.5893983759762077), (0.007720071987606058, -0.01574690763228808), (4.4064900990717755, 5.036667037017943)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
