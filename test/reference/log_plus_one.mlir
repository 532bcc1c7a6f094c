// RUN: assay test %s
// stablehlo.log_plus_one. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @log_plus_one_bf16() {
  %operand = stablehlo.constant dense<[-0.5, -0.0078125, 0.25, 1.0, 3.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.69140625, -0.00787353515625, 0.22265625, 0.69140625, 1.3828125, 4.625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @log_plus_one_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @log_plus_one_f16() {
  %operand = stablehlo.constant dense<[-0.5, -0.0078125, 0.25, 1.0, 3.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.693359375, -0.007843017578125, 0.22314453125, 0.693359375, 1.38671875, 4.61328125]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @log_plus_one_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @log_plus_one_f32() {
  %operand = stablehlo.constant dense<[-0.5, -0.0078125, 0.25, 1.0, 3.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.6931471824645996, -0.007843177765607834, 0.2231435477733612, 0.6931471824645996, 1.3862943649291992, 4.6151204109191895]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @log_plus_one_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @log_plus_one_f64() {
  %operand = stablehlo.constant dense<[-0.5, -0.0078125, 0.25, 1.0, 3.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.6931471805599453, -0.007843177461025893, 0.22314355131420976, 0.6931471805599453, 1.3862943611198906, 4.61512051684126]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @log_plus_one_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @log_plus_one_scalar() {
  %operand = stablehlo.constant dense<-0.5> : tensor<f32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.6931471824645996> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @log_plus_one_splat() {
  %operand = stablehlo.constant dense<-0.5> : tensor<3x2xf32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.6931471824645996> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @log_plus_one_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @log_plus_one_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.41916459798812866, 0.16514867544174194), (0.7234594821929932, 1.8157750368118286), (1.3867824077606201, -0.031239833682775497), (1.403570532798767, -1.3854483366012573), (0.007902311161160469, -0.015502633526921272), (1.1289246082305908, 0.244978666305542)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @log_plus_one_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.4191645952022216, 0.16514867741462683), (0.7234594914681627, 1.8157749899217608), (1.3867824041064183, -0.031239833430268277), (1.4035705518732204, -1.3854483767992019), (0.007902311084945492, -0.015502633925016426), (1.128924599576327, 0.24497866312686414)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
