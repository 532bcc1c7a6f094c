// RUN: assay test %s
// chlo.atan. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @atan_bf16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xbf16>
  %result = "chlo.atan"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-1.46875, -0.462890625, 0.0078125, 0.2451171875, 0.64453125, 1.5625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @atan_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FC0]> : tensor<2xbf16>
  %result = "chlo.atan"(%operand) : (tensor<2xbf16>) -> tensor<2xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7FC0]> : tensor<2xbf16>
  func.return
}

func.func @atan_f16() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf16>
  %result = "chlo.atan"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-1.470703125, -0.463623046875, 0.0078125, 0.2449951171875, 0.6435546875, 1.560546875]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @atan_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7E00]> : tensor<2xf16>
  %result = "chlo.atan"(%operand) : (tensor<2xf16>) -> tensor<2xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7E00]> : tensor<2xf16>
  func.return
}

func.func @atan_f32() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf32>
  %result = "chlo.atan"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-1.4711276292800903, -0.46364760398864746, 0.007812341209501028, 0.244978666305542, 0.6435011029243469, 1.5607966184616089]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @atan_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FC00000]> : tensor<2xf32>
  %result = "chlo.atan"(%operand) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7FC00000]> : tensor<2xf32>
  func.return
}

func.func @atan_f64() {
  %operand = stablehlo.constant dense<[-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0]> : tensor<6xf64>
  %result = "chlo.atan"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-1.4711276743037347, -0.4636476090008061, 0.007812341060101111, 0.24497866312686414, 0.6435011087932844, 1.5607966601082315]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @atan_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF8000000000000]> : tensor<2xf64>
  %result = "chlo.atan"(%operand) : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF8000000000000]> : tensor<2xf64>
  func.return
}

func.func @atan_scalar() {
  %operand = stablehlo.constant dense<-10.0> : tensor<f32>
  %result = "chlo.atan"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-1.4711276292800903> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @atan_splat() {
  %operand = stablehlo.constant dense<-10.0> : tensor<3x2xf32>
  %result = "chlo.atan"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-1.4711276292800903> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @atan_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.atan"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @atan_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.atan"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.48425447940826416, 0.20058661699295044), (-1.3112232685089111, 0.31042829155921936), (1.2495139837265015, -0.012483092024922371), (-1.5542049407958984, -0.2543069124221802), (0.007814249023795128, -0.01562531851232052), (1.1492037773132324, 0.13825014233589172)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @atan_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.atan"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.4842544903299662, 0.20058661813123432), (-1.311223269671635, 0.3104282830771958), (1.2495139370554467, -0.012483092187052253), (-1.5542049087116474, -0.25430692122149867), (0.007814248641557447, -0.015625317670179134), (1.1492038297107037, 0.13825013720417587)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
