// RUN: assay test %s
// chlo.acosh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @acosh_bf16() {
  %operand = stablehlo.constant dense<[1.0, 1.25, 2.0, 3.0, 10.0, 100.0]> : tensor<6xbf16>
  %result = "chlo.acosh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.0, 0.69140625, 1.3203125, 1.765625, 3.0, 5.3125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @acosh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "chlo.acosh"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0x7FC0, 0.0, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @acosh_f16() {
  %operand = stablehlo.constant dense<[1.0, 1.25, 2.0, 3.0, 10.0, 100.0]> : tensor<6xf16>
  %result = "chlo.acosh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.0, 0.693359375, 1.3173828125, 1.7626953125, 2.994140625, 5.296875]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @acosh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "chlo.acosh"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0x7E00, 0.0, 0x7C00, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @acosh_f32() {
  %operand = stablehlo.constant dense<[1.0, 1.25, 2.0, 3.0, 10.0, 100.0]> : tensor<6xf32>
  %result = "chlo.acosh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.0, 0.6931471824645996, 1.316957950592041, 1.7627471685409546, 2.993222951889038, 5.29829216003418]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @acosh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "chlo.acosh"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0x7FC00000, 0.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @acosh_f64() {
  %operand = stablehlo.constant dense<[1.0, 1.25, 2.0, 3.0, 10.0, 100.0]> : tensor<6xf64>
  %result = "chlo.acosh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.0, 0.6931471805599453, 1.3169578969248168, 1.762747174039086, 2.993222846126381, 5.298292365610485]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @acosh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "chlo.acosh"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0x7FF8000000000000, 0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @acosh_scalar() {
  %operand = stablehlo.constant dense<1.0> : tensor<f32>
  %result = "chlo.acosh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.0> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @acosh_splat() {
  %operand = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %result = "chlo.acosh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @acosh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.acosh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @acosh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.acosh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.2813960611820221, 1.0691875219345093), (1.622494101524353, 2.1773078441619873), (1.7637816667556763, -0.044160064309835434), (2.0964930057525635, -1.6313625574111938), (0.01562484074383974, -1.5629847049713135), (1.4105788469314575, 0.39973384141921997)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @acosh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.acosh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.2813960562452928, 1.0691874735193958), (1.6224941488715938, 2.1773078449946515), (1.7637816499875794, -0.04416006374763745), (2.096493106256753, -1.631362601215661), (0.015624840971356725, -1.5629847009068567), (1.4105788975583342, 0.3997338383465451)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
