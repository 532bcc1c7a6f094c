// RUN: assay test %s
// chlo.acos. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @acos_bf16() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0, 0.25, 0.75, 1.0]> : tensor<6xbf16>
  %result = "chlo.acos"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[3.140625, 2.09375, 1.5703125, 1.3203125, 0.72265625, 0.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @acos_bf16_special() {
  %operand = stablehlo.constant dense<[1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "chlo.acos"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @acos_f16() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0, 0.25, 0.75, 1.0]> : tensor<6xf16>
  %result = "chlo.acos"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[3.140625, 2.09375, 1.5703125, 1.318359375, 0.72265625, 0.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @acos_f16_special() {
  %operand = stablehlo.constant dense<[1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "chlo.acos"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7E00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @acos_f32() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0, 0.25, 0.75, 1.0]> : tensor<6xf32>
  %result = "chlo.acos"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[3.1415927410125732, 2.094395160675049, 1.5707963705062866, 1.3181160688400269, 0.722734272480011, 0.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @acos_f32_special() {
  %operand = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "chlo.acos"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @acos_f64() {
  %operand = stablehlo.constant dense<[-1.0, -0.5, 0.0, 0.25, 0.75, 1.0]> : tensor<6xf64>
  %result = "chlo.acos"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[3.141592653589793, 2.0943951023931957, 1.5707963267948966, 1.318116071652818, 0.7227342478134157, 0.0]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @acos_f64_special() {
  %operand = stablehlo.constant dense<[1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "chlo.acos"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @acos_scalar() {
  %operand = stablehlo.constant dense<-1.0> : tensor<f32>
  %result = "chlo.acos"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<3.1415927410125732> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @acos_splat() {
  %operand = stablehlo.constant dense<-1.0> : tensor<3x2xf32>
  %result = "chlo.acos"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<3.1415927410125732> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @acos_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.acos"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @acos_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.acos"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.0691875219345093, -0.2813960611820221), (2.1773078441619873, -1.622494101524353), (0.044160064309835434, 1.7637816667556763), (1.6313625574111938, 2.0964930057525635), (1.5629847049713135, 0.01562484074383974), (0.39973384141921997, -1.4105788469314575)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @acos_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.acos"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(1.0691874735193958, -0.2813960562452928), (2.1773078449946515, -1.6224941488715938), (0.04416006374763745, 1.7637816499875794), (1.631362601215661, 2.096493106256753), (1.5629847009068567, 0.015624840971356725), (0.3997338383465451, -1.4105788975583342)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
