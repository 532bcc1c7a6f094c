func.func @main(%x: tensor<6xf32>, %shape: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
