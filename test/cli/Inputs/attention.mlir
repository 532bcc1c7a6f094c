// Causal attention of four heads over 512 tokens: 4 MiB of scores.
func.func @main(%q: tensor<512x4x16xf32>, %k: tensor<512x4x16xf32>, %v: tensor<512x4x16xf32>) -> tensor<512x4x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %query = stablehlo.iota dim = 0 : tensor<512x512xi32>
  %key = stablehlo.iota dim = 1 : tensor<512x512xi32>
  %mask = stablehlo.compare GE, %query, %key : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %masks = stablehlo.broadcast_in_dim %mask, dims = [1, 2] : (tensor<512x512xi1>) -> tensor<4x512x512xi1>
  %lows = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<4x512x512xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<512x4x16xf32>, tensor<512x4x16xf32>) -> tensor<4x512x512xf32>
  %x = stablehlo.select %masks, %s, %lows : tensor<4x512x512xi1>, tensor<4x512x512xf32>
  %greatest = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x512x512xf32>, tensor<f32>) -> tensor<4x512xf32>
  %most = stablehlo.broadcast_in_dim %greatest, dims = [0, 1] : (tensor<4x512xf32>) -> tensor<4x512x512xf32>
  %d = stablehlo.subtract %x, %most : tensor<4x512x512xf32>
  %e = stablehlo.exponential %d : tensor<4x512x512xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x512x512xf32>, tensor<f32>) -> tensor<4x512xf32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x512xf32>) -> tensor<4x512x512xf32>
  %p = stablehlo.divide %e, %all : tensor<4x512x512xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<4x512x512xf32>, tensor<512x4x16xf32>) -> tensor<4x512x16xf32>
  %r = stablehlo.transpose %o, dims = [1, 0, 2] : (tensor<4x512x16xf32>) -> tensor<512x4x16xf32>
  return %r : tensor<512x4x16xf32>
}
