func.func @unreached() {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.constant dense<3> : tensor<i32>
  %1 = "stablehlo.if"(%no) ({
    check.expect_eq_const %0, dense<3> : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }, {
    stablehlo.return %0 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}
