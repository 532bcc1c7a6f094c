// RUN: assay test %s
// chlo.polygamma. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @polygamma_bf16() {
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 5.0, 2.0]> : tensor<6xbf16>
  %x = stablehlo.constant dense<[1.25, 0.5, 2.5, 10.0, 3.0, 40.0]> : tensor<6xbf16>
  %result = "chlo.polygamma"(%n, %x) : (tensor<6xbf16>, tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.2275390625, 4.9375, -0.236328125, 0.0023193359375, 0.2060546875, -0.000640869140625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @polygamma_f16() {
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 5.0, 2.0]> : tensor<6xf16>
  %x = stablehlo.constant dense<[1.25, 0.5, 2.5, 10.0, 3.0, 40.0]> : tensor<6xf16>
  %result = "chlo.polygamma"(%n, %x) : (tensor<6xf16>, tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.2274169921875, 4.93359375, -0.2362060546875, 0.0023193359375, 0.2061767578125, -0.000640869140625]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @polygamma_f32() {
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 5.0, 2.0]> : tensor<6xf32>
  %x = stablehlo.constant dense<[1.25, 0.5, 2.5, 10.0, 3.0, 40.0]> : tensor<6xf32>
  %result = "chlo.polygamma"(%n, %x) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.22745352983474731, 4.934802055358887, -0.23620405793190002, 0.0023199012503027916, 0.20616744458675385, -0.0006408202461898327]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @polygamma_f64() {
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 5.0, 2.0]> : tensor<6xf64>
  %x = stablehlo.constant dense<[1.25, 0.5, 2.5, 10.0, 3.0, 40.0]> : tensor<6xf64>
  %result = "chlo.polygamma"(%n, %x) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.22745353337626542, 4.934802200544679, -0.2362040516417274, 0.0023199013042898686, 0.20616743813389676, -0.0006408202718352986]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @polygamma_f32_special() {
  %n = stablehlo.constant dense<[1.0, 2.0, 1.5, -1.0, 0.0]> : tensor<5xf32>
  %x = stablehlo.constant dense<[-1.0, -1.0, 2.0, 1.0, 0.0]> : tensor<5xf32>
  %result = "chlo.polygamma"(%n, %x) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @polygamma_scalar() {
  %n = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.constant dense<1.25> : tensor<f32>
  %result = "chlo.polygamma"(%n, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.22745352983474731> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @polygamma_splat() {
  %n = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %x = stablehlo.constant dense<1.25> : tensor<3x2xf32>
  %result = "chlo.polygamma"(%n, %x) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.22745352983474731> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @polygamma_empty() {
  %n = stablehlo.constant dense<> : tensor<0x3xf32>
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.polygamma"(%n, %x) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}
