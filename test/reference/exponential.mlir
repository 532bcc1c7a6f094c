// RUN: assay test %s
// stablehlo.exponential. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @exponential_bf16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0, 0.25, 1.0, 5.0]> : tensor<6xbf16>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[4.5299530029296875e-05, 0.60546875, 1.0, 1.28125, 2.71875, 148.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @exponential_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.exponential"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[1.0, 0x7F80, 0.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @exponential_f16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0, 0.25, 1.0, 5.0]> : tensor<6xf16>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[4.5418739318847656e-05, 0.6064453125, 1.0, 1.2841796875, 2.71875, 148.375]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @exponential_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.exponential"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[1.0, 0x7C00, 0.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @exponential_f32() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0, 0.25, 1.0, 5.0]> : tensor<6xf32>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[4.539993096841499e-05, 0.6065306663513184, 1.0, 1.2840254306793213, 2.7182817459106445, 148.4131622314453]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @exponential_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.exponential"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[1.0, 0x7F800000, 0.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @exponential_f64() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0, 0.25, 1.0, 5.0]> : tensor<6xf64>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[4.5399929762484854e-05, 0.6065306597126334, 1.0, 1.2840254166877414, 2.718281828459045, 148.4131591025766]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @exponential_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.exponential"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[1.0, 0x7FF0000000000000, 0.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @exponential_scalar() {
  %operand = stablehlo.constant dense<-10.0> : tensor<f32>
  %result = "stablehlo.exponential"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<4.539993096841499e-05> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @exponential_splat() {
  %operand = stablehlo.constant dense<-10.0> : tensor<3x2xf32>
  %result = "stablehlo.exponential"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<4.539993096841499e-05> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @exponential_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.exponential"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @exponential_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.5974664688110352, 0.4079001843929291), (-0.09285490959882736, 0.20289167761802673), (19.928823471069336, -2.5041589736938477), (-0.5090581774711609, 0.5893983840942383), (1.0077201128005981, -0.015746908262372017), (5.406490325927734, 5.0366668701171875)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @exponential_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.exponential"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.5974665191199127, 0.40790017007835977), (-0.09285491028402633, 0.2028916804701695), (19.92882288023536, -2.504158960797569), (-0.5090581637782094, 0.5893983759762077), (1.007720071987606, -0.01574690763228808), (5.4064900990717755, 5.036667037017943)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
