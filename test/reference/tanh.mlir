// RUN: assay test %s
// stablehlo.tanh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @tanh_bf16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.0078125, 0.25, 1.0, 10.0]> : tensor<6xbf16>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.99609375, -0.462890625, 0.0078125, 0.2451171875, 0.76171875, 1.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @tanh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.tanh"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @tanh_f16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.0078125, 0.25, 1.0, 10.0]> : tensor<6xf16>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.9951171875, -0.462158203125, 0.0078125, 0.244873046875, 0.76171875, 1.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @tanh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.tanh"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @tanh_f32() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.0078125, 0.25, 1.0, 10.0]> : tensor<6xf32>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.9950547814369202, -0.46211716532707214, 0.007812341209501028, 0.24491865932941437, 0.7615941762924194, 1.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @tanh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.tanh"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @tanh_f64() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.0078125, 0.25, 1.0, 10.0]> : tensor<6xf64>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.9950547536867305, -0.46211715726000974, 0.007812341058161014, 0.24491866240370913, 0.7615941559557649, 0.9999999958776927]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @tanh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.tanh"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, -1.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @tanh_scalar() {
  %operand = stablehlo.constant dense<-3.0> : tensor<f32>
  %result = "stablehlo.tanh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.9950547814369202> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @tanh_splat() {
  %operand = stablehlo.constant dense<-3.0> : tensor<3x2xf32>
  %result = "stablehlo.tanh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.9950547814369202> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @tanh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.tanh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @tanh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.48548728227615356, 0.1980554461479187), (-1.0641443729400635, -0.08039101213216782), (0.9952073693275452, -0.0012206354876980186), (-0.5305789113044739, -1.0073639154434204), (0.007814249023795128, -0.01562531851232052), (0.9967473745346069, 0.036432888358831406)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @tanh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.tanh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.48548728102413535, 0.19805544995134952), (-1.0641443991765371, -0.08039101531016818), (0.995207374312129, -0.0012206355197352978), (-0.5305789093177914, -1.0073639387724154), (0.007814248562011569, -0.015625317743952743), (0.9967473999046033, 0.036432889375718314)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
