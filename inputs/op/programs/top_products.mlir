module @jit_top_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x64xf32>, %arg1: tensor<64x32xf32>) -> (tensor<8x4xf32> {jax.result_info = "result[0]"}, tensor<8x4xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    %values, %indices = chlo.top_k(%0, k = 4) : tensor<8x32xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    return %values, %indices : tensor<8x4xf32>, tensor<8x4xi32>
  }
}
