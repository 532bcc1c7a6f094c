// RUN: assay test %s
// chlo.asinh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @asinh_bf16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xbf16>
  %result = "chlo.asinh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-3.0, -0.48046875, 0.0078125, 0.2470703125, 0.69140625, 5.3125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @asinh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.asinh"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @asinh_f16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf16>
  %result = "chlo.asinh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-2.998046875, -0.481201171875, 0.0078125, 0.2474365234375, 0.693359375, 5.296875]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @asinh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.asinh"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @asinh_f32() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf32>
  %result = "chlo.asinh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-2.998223066329956, -0.4812118113040924, 0.00781242037191987, 0.24746645987033844, 0.6931471824645996, 5.298342227935791]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @asinh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.asinh"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @asinh_f64() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf64>
  %result = "chlo.asinh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-2.99822295029797, -0.48121182505960347, 0.007812420529323008, 0.24746646154726346, 0.6931471805599453, 5.298342365610589]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @asinh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.asinh"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @asinh_scalar() {
  %operand = stablehlo.constant dense<-10.0> : tensor<f32>
  %result = "chlo.asinh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-2.998223066329956> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @asinh_splat() {
  %operand = stablehlo.constant dense<-10.0> : tensor<3x2xf32>
  %result = "chlo.asinh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-2.998223066329956> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @asinh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.asinh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @asinh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.asinh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.49267569184303284, 0.22432845830917358), (-1.6004101037979126, 0.8877651691436768), (1.8191871643066406, -0.03951098024845123), (-2.0655834674835205, -1.5063449144363403), (0.007813374511897564, -0.015625158324837685), (1.492521047592163, 0.3267703950405121)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @asinh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.asinh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.4926756834207706, 0.2243284526346675), (-1.6004100552346137, 0.8877651461839051), (1.819187184014368, -0.03951098165991842), (-2.0655835152052973, -1.506344919991575), (0.007813374290948681, -0.015625158862751436), (1.4925210319880218, 0.3267704027823274)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
