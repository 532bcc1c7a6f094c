// Products and their sum are exact before the only rounding: 2^-60 remains.
func.func @dot_general_f64_keeps_what_a_product_loses() {
  %lhs = stablehlo.constant dense<[1.000000000931322574615478515625, -1.0]> : tensor<2xf64>
  %rhs = stablehlo.constant dense<[1.000000000931322574615478515625, 1.00000000186264514923095703125]> : tensor<2xf64>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  check.expect_eq_const %result, dense<8.6736173798840354720596224069594e-19> : tensor<f64>
  func.return
}
