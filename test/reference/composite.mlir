// RUN: assay test %s

func.func @composite_runs_its_decomposition() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %result = stablehlo.composite "my.square" %a {decomposition = @square} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %result, dense<9> : tensor<i32>
  func.return
}

func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.multiply %x, %x : tensor<i32>
  func.return %y : tensor<i32>
}
