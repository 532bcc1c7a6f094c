// RUN: assay test %s

func.func @if_runs_one_branch() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %x = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.constant dense<20> : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %r, dense<10> : tensor<i32>
  func.return
}
