// RUN: assay test %s
// stablehlo.rsqrt. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @rsqrt_bf16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[11.3125, 1.4140625, 1.15625, 1.0, 0.578125, 0.10009765625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @rsqrt_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0x7F80, 1.0, 0.0, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @rsqrt_f16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[11.3125, 1.4140625, 1.154296875, 1.0, 0.5771484375, 0.0999755859375]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @rsqrt_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0x7C00, 1.0, 0.0, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @rsqrt_f32() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[11.313708305358887, 1.4142135381698608, 1.154700517654419, 1.0, 0.5773502588272095, 0.10000000149011612]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @rsqrt_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0x7F800000, 1.0, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @rsqrt_f64() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[11.313708498984761, 1.4142135623730951, 1.1547005383792515, 1.0, 0.5773502691896257, 0.1]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @rsqrt_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0x7FF0000000000000, 1.0, 0.0, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @rsqrt_scalar() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<f32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<11.313708305358887> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @rsqrt_splat() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<3x2xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<11.313708305358887> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @rsqrt_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @rsqrt_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.3017016649246216, -0.30729007720947266), (0.2828427255153656, -0.5656854510307312), (0.5769748687744141, 0.012015096843242645), (0.3420152962207794, 0.36405861377716064), (6.435966968536377, 3.9776463508605957), (0.6732461452484131, -0.12208280712366104)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @rsqrt_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.3017016520692888, -0.30729007631213195), (0.282842712474619, -0.565685424949238), (0.576974865258346, 0.012015097068444504), (0.34201530834605326, 0.3640586126953684), (6.435966913525683, 3.9776463030286275), (0.6732461485846332, -0.12208280878354784)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
