func.func @close_is_three_away() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<1.00000036> : tensor<f32>
  check.expect_close %a, %b, max_ulp_difference = 2, min_ulp_difference = 0 : tensor<f32>, tensor<f32>
  func.return
}
func.func @close_is_nearer_than_expected() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.00000012, 2.0]> : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 9, min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  func.return
}
func.func @close_in_the_last_element() {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.1]> : tensor<3xf64>
  check.expect_close %a, %b, max_ulp_difference = 1000, min_ulp_difference = 0 : tensor<3xf64>, tensor<3xf64>
  func.return
}
func.func @close_to_nan() {
  %a = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_close %a, %b, max_ulp_difference = 1000000, min_ulp_difference = 0 : tensor<f32>, tensor<f32>
  func.return
}
func.func @almost_eq_is_beyond_the_tolerance() {
  %a = stablehlo.constant dense<0.2> : tensor<f32>
  %b = stablehlo.constant dense<0.2002> : tensor<f32>
  check.expect_almost_eq %a, %b : tensor<f32>
  func.return
}
func.func @almost_eq_with_infinity() {
  %a = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %b = stablehlo.constant dense<3.4e38> : tensor<f32>
  check.expect_almost_eq %a, %b : tensor<f32>
  func.return
}
func.func @almost_eq_in_the_imaginary_part() {
  %a = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %b = stablehlo.constant dense<(1.0, 2.5)> : tensor<complex<f32>>
  check.expect_almost_eq %a, %b : tensor<complex<f32>>
  func.return
}
func.func @almost_eq_of_a_constant() {
  %a = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf64>
  check.expect_almost_eq_const %a, dense<[5.0, 7.0]> : tensor<2xf64>
  func.return
}
func.func @eq_of_the_last_element() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  check.expect_eq_const %a, dense<[1, 2, 4]> : tensor<3xi8>
  func.return
}

// check.eq returns its verdict as a value, and also fails the test.
func.func @eq_as_a_value() -> tensor<i1> {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.custom_call @check.eq(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  func.return %0 : tensor<i1>
}
