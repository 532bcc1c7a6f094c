// RUN: assay test %s
// chlo.zeta. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @zeta_bf16() {
  %x = stablehlo.constant dense<[2.0, 3.0, 1.5, 20.0, 4.0, 1.125]> : tensor<6xbf16>
  %q = stablehlo.constant dense<[1.0, 0.5, 10.0, 2.0, 3.75, 5.0]> : tensor<6xbf16>
  %result = "chlo.zeta"(%x, %q) : (tensor<6xbf16>, tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[1.6484375, 8.4375, 0.6484375, 9.5367431640625e-07, 0.00927734375, 6.625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @zeta_f16() {
  %x = stablehlo.constant dense<[2.0, 3.0, 1.5, 20.0, 4.0, 1.125]> : tensor<6xf16>
  %q = stablehlo.constant dense<[1.0, 0.5, 10.0, 2.0, 3.75, 5.0]> : tensor<6xf16>
  %result = "chlo.zeta"(%x, %q) : (tensor<6xf16>, tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[1.64453125, 8.4140625, 0.6484375, 9.5367431640625e-07, 0.00928497314453125, 6.62890625]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @zeta_f32() {
  %x = stablehlo.constant dense<[2.0, 3.0, 1.5, 20.0, 4.0, 1.125]> : tensor<6xf32>
  %q = stablehlo.constant dense<[1.0, 0.5, 10.0, 2.0, 3.75, 5.0]> : tensor<6xf32>
  %result = "chlo.zeta"(%x, %q) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[1.644934058189392, 8.414398193359375, 0.6486616134643555, 9.539620577925234e-07, 0.00928421039134264, 6.626953125]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @zeta_f64() {
  %x = stablehlo.constant dense<[2.0, 3.0, 1.5, 20.0, 4.0, 1.125]> : tensor<6xf64>
  %q = stablehlo.constant dense<[1.0, 0.5, 10.0, 2.0, 3.75, 5.0]> : tensor<6xf64>
  %result = "chlo.zeta"(%x, %q) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[1.6449340668482264, 8.41439832211716, 0.6486616319415704, 9.539620338727962e-07, 0.009284210124232419, 6.626953321470899]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @zeta_f32_special() {
  %x = stablehlo.constant dense<[1.0, 0.5, 2.0, 3.0, 2.5]> : tensor<5xf32>
  %q = stablehlo.constant dense<[3.0, 1.0, -1.0, 0.0, -1.5]> : tensor<5xf32>
  %result = "chlo.zeta"(%x, %q) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0x7F800000, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @zeta_scalar() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %q = stablehlo.constant dense<1.0> : tensor<f32>
  %result = "chlo.zeta"(%x, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<1.644934058189392> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @zeta_splat() {
  %x = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %q = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %result = "chlo.zeta"(%x, %q) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<1.644934058189392> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @zeta_empty() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %q = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.zeta"(%x, %q) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
