func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      stablehlo.return %yes : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n : tensor<i32>
    }
  return %r : tensor<i32>
}
