module @jit_quantise_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>, %arg1: tensor<16x32xf32>) -> (tensor<16x32xi8> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.abs %0 : tensor<16x32xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %3 = stablehlo.divide %2, %cst_0 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %5 = stablehlo.divide %0, %4 : tensor<16x32xf32>
    %6 = call @round(%5) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %c = stablehlo.constant dense<-127> : tensor<i32>
    %c_1 = stablehlo.constant dense<127> : tensor<i32>
    %7 = call @clip(%6, %c, %c_1) : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
    %8 = stablehlo.convert %7 : (tensor<16x32xf32>) -> tensor<16x32xi8>
    return %8 : tensor<16x32xi8>
  }
  func.func private @round(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
  func.func private @clip(%arg0: tensor<16x32xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16x32xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<16x32xf32>
    return %5 : tensor<16x32xf32>
  }
}
