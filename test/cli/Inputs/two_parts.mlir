func.func @main() {
  %0 = stablehlo.constant dense<3> : tensor<i32>
  check.expect_eq_const %0, dense<3> : tensor<i32>
  check.expect_eq_const %0, dense<4> : tensor<i32>
  return
}
// -----
func.func @main() {
  %0 = stablehlo.constant dense<5> : tensor<i32>
  check.expect_eq_const %0, dense<5> : tensor<i32>
  return
}
