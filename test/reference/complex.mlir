// RUN: assay test %s
// stablehlo.complex. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @complex_f32() {
  %lhs = stablehlo.constant dense<[0.5, -1.5, 3.0, -0.25, 0.0078125, 2.0]> : tensor<6xf32>
  %rhs = stablehlo.constant dense<[0.25, 2.0, -0.125, -4.0, -0.015625, 0.75]> : tensor<6xf32>
  %result = "stablehlo.complex"(%lhs, %rhs) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %result, dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  func.return
}

func.func @complex_f64() {
  %lhs = stablehlo.constant dense<[0.5, -1.5, 3.0, -0.25, 0.0078125, 2.0]> : tensor<6xf64>
  %rhs = stablehlo.constant dense<[0.25, 2.0, -0.125, -4.0, -0.015625, 0.75]> : tensor<6xf64>
  %result = "stablehlo.complex"(%lhs, %rhs) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %result, dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  func.return
}
