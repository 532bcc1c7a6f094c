// RUN: assay test %s
// chlo._asin_acos_kernel. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @_asin_acos_kernel_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo._asin_acos_kernel"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.911754310131073, 0.2813960611820221), (2.162196636199951, 1.622494101524353), (0.13256637752056122, 1.7637816667556763), (4.122661113739014, 2.0964930057525635), (1.000091552734375, 0.01562484074383974), (0.844959020614624, 1.4105788469314575)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @_asin_acos_kernel_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo._asin_acos_kernel"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.9117543273261622, 0.2813960562452928), (2.1621967291648145, 1.6224941488715938), (0.13256637550733788, 1.7637816499875794), (4.122661301831613, 2.096493106256753), (1.0000915559923416, 0.015624840971356725), (0.8449590297808991, 1.4105788975583342)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 4 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
