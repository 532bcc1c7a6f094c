func.func @right() {
  %0 = stablehlo.constant dense<3> : tensor<i32>
  check.expect_eq_const %0, dense<3> : tensor<i32>
  return
}

func.func @wrong() {
  %0 = stablehlo.constant dense<3> : tensor<i32>
  check.expect_eq_const %0, dense<4> : tensor<i32>
  return
}

func.func @takes_arguments(%0: tensor<i32>) {
  check.expect_eq_const %0, dense<4> : tensor<i32>
  return
}
