// RUN: assay test %s

func.func @create_token_is_a_value() {
  %a = stablehlo.create_token : !stablehlo.token
  %b = stablehlo.after_all %a, %a : !stablehlo.token
  %value = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %value, dense<1> : tensor<i32>
  func.return
}
