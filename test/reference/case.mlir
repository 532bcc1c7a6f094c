// RUN: assay test %s

func.func @case_out_of_range_takes_the_last_branch() {
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<2> : tensor<i32>
  func.return
}
