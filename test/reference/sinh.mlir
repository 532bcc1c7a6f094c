// RUN: assay test %s
// chlo.sinh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @sinh_bf16() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xbf16>
  %result = "chlo.sinh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-74.0, -0.51953125, 0.0078125, 0.251953125, 3.625, 1488.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @sinh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.sinh"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @sinh_f16() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf16>
  %result = "chlo.sinh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-74.1875, -0.52099609375, 0.0078125, 0.252685546875, 3.626953125, 1490.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @sinh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.sinh"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @sinh_f32() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf32>
  %result = "chlo.sinh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-74.20320892333984, -0.5210952758789062, 0.007812579162418842, 0.25261232256889343, 3.6268603801727295, 1490.4788818359375]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @sinh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.sinh"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @sinh_f64() {
  %operand = stablehlo.constant dense<[-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0]> : tensor<6xf64>
  %result = "chlo.sinh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-74.20321057778875, -0.5210953054937474, 0.007812579473102233, 0.2526123168081683, 3.6268604078470186, 1490.4788257895502]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @sinh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.sinh"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @sinh_scalar() {
  %operand = stablehlo.constant dense<-5.0> : tensor<f32>
  %result = "chlo.sinh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-74.20320892333984> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @sinh_splat() {
  %operand = stablehlo.constant dense<-5.0> : tensor<3x2xf32>
  %result = "chlo.sinh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-74.20320892333984> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @sinh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.sinh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @sinh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.sinh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.5048956871032715, 0.2789791226387024), (0.8860929012298584, 2.139039993286133), (9.939712524414062, -1.2551831007003784), (0.16511842608451843, 0.7805759906768799), (0.007811625953763723, -0.01562484074383974), (2.653733491897583, 2.5644583702087402)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @sinh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.sinh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.504895714387995, 0.2789791283502615), (0.8860929093625314, 2.139040009980677), (9.93971213357129, -1.2551830751361823), (0.16511842943323699, 0.7805760076821464), (0.007811625808487113, -0.015624841045064484), (2.6537333893808297, 2.5644584058353774)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
