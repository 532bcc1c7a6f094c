// RUN: assay test %s
// stablehlo.logistic. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @logistic_bf16() {
  %operand = stablehlo.constant dense<[-8.0, -1.0, 0.25, 1.0, 4.0, 20.0]> : tensor<6xbf16>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.000335693359375, 0.26953125, 0.5625, 0.73046875, 0.98046875, 1.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @logistic_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.logistic"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.5, 1.0, 0.0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @logistic_f16() {
  %operand = stablehlo.constant dense<[-8.0, -1.0, 0.25, 1.0, 4.0, 20.0]> : tensor<6xf16>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.00033545494079589844, 0.26904296875, 0.56201171875, 0.73095703125, 0.98193359375, 1.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @logistic_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.logistic"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.5, 1.0, 0.0, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @logistic_f32() {
  %operand = stablehlo.constant dense<[-8.0, -1.0, 0.25, 1.0, 4.0, 20.0]> : tensor<6xf32>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.00033535013790242374, 0.2689414322376251, 0.562176525592804, 0.7310585975646973, 0.9820137619972229, 1.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @logistic_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.logistic"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.5, 1.0, 0.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @logistic_f64() {
  %operand = stablehlo.constant dense<[-8.0, -1.0, 0.25, 1.0, 4.0, 20.0]> : tensor<6xf64>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.0003353501304664781, 0.2689414213699951, 0.5621765008857981, 0.7310585786300049, 0.9820137900379085, 0.9999999979388464]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @logistic_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.logistic"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.5, 1.0, 0.0, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @logistic_scalar() {
  %operand = stablehlo.constant dense<-8.0> : tensor<f32>
  %result = "stablehlo.logistic"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.00033535013790242374> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @logistic_splat() {
  %operand = stablehlo.constant dense<-8.0> : tensor<3x2xf32>
  %result = "stablehlo.logistic"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.00033535013790242374> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @logistic_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.logistic"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @logistic_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.6242751479148865, 0.059002965688705444), (-0.049842581152915955, 0.2348073422908783), (0.9528933763504028, -0.005636361427605152), (0.1656528264284134, 1.001672387123108), (0.5019532442092896, -0.003906270023435354), (0.903532862663269, 0.07584070414304733)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @logistic_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.logistic"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.6242751644199612, 0.05900296431450802), (-0.04984258297024424, 0.234807340416369), (0.9528934015735112, -0.00563636145412579), (0.16565282422207658, 1.0016723654850268), (0.501953234277668, -0.003906269865910768), (0.9035328855756541, 0.07584070651225049)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
