// RUN: assay test %s
// stablehlo.atan2. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @atan2_bf16() {
  %lhs = stablehlo.constant dense<[1.0, -1.0, 0.5, -0.5, 3.0, 0.0]> : tensor<6xbf16>
  %rhs = stablehlo.constant dense<[2.0, 2.0, -3.0, -3.0, 0.0, -1.0]> : tensor<6xbf16>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xbf16>, tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.462890625, -0.462890625, 2.96875, -2.96875, 1.5703125, 3.140625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @atan2_f16() {
  %lhs = stablehlo.constant dense<[1.0, -1.0, 0.5, -0.5, 3.0, 0.0]> : tensor<6xf16>
  %rhs = stablehlo.constant dense<[2.0, 2.0, -3.0, -3.0, 0.0, -1.0]> : tensor<6xf16>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xf16>, tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.463623046875, -0.463623046875, 2.9765625, -2.9765625, 1.5703125, 3.140625]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @atan2_f32() {
  %lhs = stablehlo.constant dense<[1.0, -1.0, 0.5, -0.5, 3.0, 0.0]> : tensor<6xf32>
  %rhs = stablehlo.constant dense<[2.0, 2.0, -3.0, -3.0, 0.0, -1.0]> : tensor<6xf32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.46364760398864746, -0.46364760398864746, 2.9764440059661865, -2.9764440059661865, 1.5707963705062866, 3.1415927410125732]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @atan2_f64() {
  %lhs = stablehlo.constant dense<[1.0, -1.0, 0.5, -0.5, 3.0, 0.0]> : tensor<6xf64>
  %rhs = stablehlo.constant dense<[2.0, 2.0, -3.0, -3.0, 0.0, -1.0]> : tensor<6xf64>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.4636476090008061, -0.4636476090008061, 2.976443976175166, -2.976443976175166, 1.5707963267948966, 3.141592653589793]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @atan2_f32_special() {
  %lhs = stablehlo.constant dense<[0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<[1.0, 0.0, 1.0]> : tensor<3xf32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[0.0, 1.5707963705062866, 0x7FC00000]> : tensor<3xf32>
  func.return
}

func.func @atan2_scalar() {
  %lhs = stablehlo.constant dense<1.0> : tensor<f32>
  %rhs = stablehlo.constant dense<2.0> : tensor<f32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.46364760398864746> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @atan2_splat() {
  %lhs = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %rhs = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.46364760398864746> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @atan2_empty() {
  %lhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %rhs = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @atan2_complex_f32() {
  %lhs = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %rhs = stablehlo.constant dense<[(-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75), (0.5, 0.25)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(3.0995864868164062, -0.22326810657978058), (-0.6437537670135498, 0.4999055862426758), (3.106175184249878, 0.9697954654693604), (-1.5745657682418823, -0.002188688376918435), (0.0008562208386138082, -0.00813373550772667), (1.31600022315979, -0.02566353790462017)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @atan2_complex_f64() {
  %lhs = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %rhs = stablehlo.constant dense<[(-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75), (0.5, 0.25)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(3.099586497686046, -0.22326811044303696), (-0.6437537775861283, 0.4999055856614597), (3.1061752905460702, 0.9697954748097259), (-1.5745657822518948, -0.0021886883494478503), (0.0008562208174364042, -0.008133735046243788), (1.3160001943904338, -0.02566353851502084)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
