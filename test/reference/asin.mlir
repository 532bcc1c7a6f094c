// RUN: assay test %s
// chlo.asin. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @asin_bf16() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0078125, 0.25, 0.75, 1.0]> : tensor<6xbf16>
  %result = "chlo.asin"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-1.5703125, -0.5234375, 0.0078125, 0.251953125, 0.84765625, 1.5703125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @asin_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.asin"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @asin_f16() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0078125, 0.25, 0.75, 1.0]> : tensor<6xf16>
  %result = "chlo.asin"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-1.5703125, -0.5234375, 0.0078125, 0.252685546875, 0.84814453125, 1.5703125]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @asin_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.asin"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7E00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @asin_f32() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0078125, 0.25, 0.75, 1.0]> : tensor<6xf32>
  %result = "chlo.asin"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-1.5707963705062866, -0.5235987901687622, 0.007812579162418842, 0.252680242061615, 0.8480620980262756, 1.5707963705062866]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @asin_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.asin"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @asin_f64() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0078125, 0.25, 0.75, 1.0]> : tensor<6xf64>
  %result = "chlo.asin"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-1.5707963267948966, -0.5235987755982989, 0.007812579475042568, 0.25268025514207865, 0.848062078981481, 1.5707963267948966]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @asin_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.asin"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @asin_scalar() {
  %operand = stablehlo.constant dense<-1.0> : tensor<f32>
  %result = "chlo.asin"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-1.5707963705062866> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @asin_splat() {
  %operand = stablehlo.constant dense<-1.0> : tensor<3x2xf32>
  %result = "chlo.asin"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-1.5707963705062866> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @asin_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.asin"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @asin_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.asin"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.5016088485717773, 0.2813960611820221), (-0.6065115332603455, 1.622494101524353), (1.5266362428665161, -1.7637816667556763), (-0.06056627258658409, -2.0964930057525635), (0.007811625953763723, -0.01562484074383974), (1.1710624694824219, 1.4105788469314575)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @asin_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.asin"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.5016088532755008, 0.2813960562452928), (-0.6065115181997548, 1.6224941488715938), (1.5266362630472592, -1.7637816499875794), (-0.060566274420764385, -2.096493106256753), (0.007811625888039869, -0.015624840971356725), (1.1710624884483516, 1.4105788975583342)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
