func.func @large() {
  %0 = stablehlo.iota dim = 0 : tensor<1000xf32>
  check.expect_eq %0, %0 : tensor<1000xf32>
  func.return
}

func.func @endless() {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%arg0 = %0) : tensor<i32>
    cond {
      %2 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %arg0 : tensor<i32>
    }
  check.expect_eq %1, %0 : tensor<i32>
  func.return
}
