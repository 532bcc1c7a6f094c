// The operation that the toy engine computes itself.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %x : tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
