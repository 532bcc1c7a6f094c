// RUN: assay test %s
// chlo.cosh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @cosh_bf16() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xbf16>
  %result = "chlo.cosh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[74.0, 1.125, 1.0, 1.03125, 3.765625, 1488.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @cosh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.cosh"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[1.0, 0x7F80, 0x7F80, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @cosh_f16() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf16>
  %result = "chlo.cosh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[74.1875, 1.1279296875, 1.0, 1.03125, 3.76171875, 1490.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @cosh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.cosh"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[1.0, 0x7C00, 0x7C00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @cosh_f32() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf32>
  %result = "chlo.cosh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[74.20994567871094, 1.1276259422302246, 1.000030517578125, 1.0314130783081055, 3.762195587158203, 1490.4791259765625]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @cosh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.cosh"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[1.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @cosh_f64() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf64>
  %result = "chlo.cosh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[74.20994852478785, 1.1276259652063807, 1.0000305177333457, 1.0314130998795732, 3.7621956910836314, 1490.479161252178]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @cosh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.cosh"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[1.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @cosh_scalar() {
  %operand = stablehlo.constant dense<-5.0> : tensor<f32>
  %result = "chlo.cosh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<74.20994567871094> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @cosh_splat() {
  %operand = stablehlo.constant dense<-5.0> : tensor<3x2xf32>
  %result = "chlo.cosh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<74.20994567871094> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @cosh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.cosh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @cosh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.cosh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.0925707817077637, 0.1289210468530655), (-0.9789478182792664, -1.9361482858657837), (9.989110946655273, -1.2489758729934692), (-0.6741765737533569, -0.191177636384964), (0.999908447265625, -0.00012206658720970154), (2.7527565956115723, 2.4722087383270264)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @cosh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.cosh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.0925708047319176, 0.12892104172809826), (-0.9789478196465577, -1.9361483295105073), (9.989110746664071, -1.2489758856613866), (-0.6741765932114464, -0.19117763170593868), (0.9999084461791189, -0.00012206658722359671), (2.7527567096909453, 2.472208631182566)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
