// RUN: assay test %s
// stablehlo.sine. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @sine_bf16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.sine"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.1416015625, -0.478515625, 0.2470703125, 0.83984375, -0.54296875, -0.5078125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @sine_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.sine"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @sine_f16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.sine"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.14111328125, -0.4794921875, 0.2474365234375, 0.84130859375, -0.5439453125, -0.50634765625]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @sine_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.sine"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7E00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @sine_f32() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.sine"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.14112000167369843, -0.4794255495071411, 0.24740396440029144, 0.8414709568023682, -0.5440211296081543, -0.5063656568527222]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @sine_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.sine"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @sine_f64() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.sine"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.1411200080598672, -0.479425538604203, 0.24740395925452294, 0.8414709848078965, -0.5440211108893698, -0.5063656411097588]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @sine_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.sine"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @sine_scalar() {
  %operand = stablehlo.constant dense<-3.0> : tensor<f32>
  %result = "stablehlo.sine"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.14112000167369843> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @sine_splat() {
  %operand = stablehlo.constant dense<-3.0> : tensor<3x2xf32>
  %result = "stablehlo.sine"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.14112000167369843> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @sine_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.sine"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @sine_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.sine"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.4944857954978943, 0.2216881662607193), (-3.7527713775634766, 0.2565539479255676), (0.14222393929958344, 0.12407157570123672), (-6.756165027618408, -26.441539764404297), (0.007813374511897564, -0.015625158324837685), (1.177252173423767, -0.3422045111656189)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @sine_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.sine"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.494485780933195, 0.22168816414957482), (-3.752771340479298, 0.2565539560904818), (0.14222394441768127, 0.12407157711933818), (-6.756164923874848, -26.441539759752022), (0.007813374211400504, -0.01562515893650309), (1.1772521793108763, -0.34220450663488017)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
