func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %limit = stablehlo.constant dense<0x3F800002> : tensor<1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %two = stablehlo.constant dense<2.0> : tensor<1xf32>
  %square = stablehlo.multiply %x, %x : tensor<1xf32>
  %above = stablehlo.compare GT, %square, %limit : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  %0 = stablehlo.select %above, %one, %two : tensor<1xi1>, tensor<1xf32>
  return %0 : tensor<1xf32>
}
