// nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 16)) of PyTorch: weights are [out, in].
func.func @main(%x: tensor<8x48xf32>, %w1: tensor<96x48xf32>, %b1: tensor<96xf32>, %w2: tensor<16x96xf32>, %b2: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [1] : (tensor<8x48xf32>, tensor<96x48xf32>) -> tensor<8x96xf32> loc("up")
  %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<96xf32>) -> tensor<8x96xf32> loc("up_bias")
  %2 = stablehlo.add %0, %1 : tensor<8x96xf32> loc("up_add")
  %half = stablehlo.constant dense<0.5> : tensor<8x96xf32>
  %root = stablehlo.constant dense<0.707106769> : tensor<8x96xf32>
  %one = stablehlo.constant dense<1.0> : tensor<8x96xf32>
  %3 = stablehlo.multiply %2, %root : tensor<8x96xf32> loc("gelu_scale")
  %4 = chlo.erf %3 : tensor<8x96xf32> -> tensor<8x96xf32> loc("gelu_erf")
  %5 = stablehlo.add %4, %one : tensor<8x96xf32> loc("gelu_one")
  %6 = stablehlo.multiply %2, %half : tensor<8x96xf32> loc("gelu_half")
  %7 = stablehlo.multiply %6, %5 : tensor<8x96xf32> loc("gelu")
  %8 = stablehlo.dot_general %7, %w2, contracting_dims = [1] x [1] : (tensor<8x96xf32>, tensor<16x96xf32>) -> tensor<8x16xf32> loc("down")
  %9 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32> loc("down_bias")
  %10 = stablehlo.add %8, %9 : tensor<8x16xf32> loc("down_add")
  return %10 : tensor<8x16xf32>
}
