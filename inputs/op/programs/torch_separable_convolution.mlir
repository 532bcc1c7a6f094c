module @jit_torch_separable_convolution attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x10x10xf32>, %arg1: tensor<4x1x3x3xf32>, %arg2: tensor<8x4x1x1xf32>) -> (tensor<2x8x10x10xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x10x10xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x10x10xf32>
    %1 = call @silu(%0) : (tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %2 = stablehlo.convolution(%1, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x10x10xf32>, tensor<8x4x1x1xf32>) -> tensor<2x8x10x10xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x8x10x10xf32>) -> tensor<2x2x4x10x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [2, 3, 4] : (tensor<2x2x4x10x10xf32>, tensor<f32>) -> tensor<2x2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1x1x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %7 = stablehlo.divide %5, %6 : tensor<2x2x1x1x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = call @_var(%3, %c) : (tensor<2x2x4x10x10xf32>, tensor<i32>) -> tensor<2x2x1x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x4x10x10xf32>
    %10 = stablehlo.subtract %3, %9 : tensor<2x2x4x10x10xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %12 = stablehlo.add %8, %11 : tensor<2x2x1x1x1xf32>
    %13 = stablehlo.rsqrt %12 : tensor<2x2x1x1x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x4x10x10xf32>
    %15 = stablehlo.multiply %10, %14 : tensor<2x2x4x10x10xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x2x4x10x10xf32>) -> tensor<2x8x10x10xf32>
    return %16 : tensor<2x8x10x10xf32>
  }
  func.func private @silu(%arg0: tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x4x10x10xf32>
    %1 = stablehlo.exponential %0 : tensor<2x4x10x10xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x4x10x10xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x4x10x10xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x4x10x10xf32>
    return %6 : tensor<2x4x10x10xf32>
  }
  func.func private @_var(%arg0: tensor<2x2x4x10x10xf32>, %arg1: tensor<i32>) -> tensor<2x2x1x1x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2, 3, 4] : (tensor<2x2x4x10x10xf32>, tensor<f32>) -> tensor<2x2xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1x1x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x2x1x1x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x4x10x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x2x4x10x10xf32>
    %6 = chlo.square %5 : tensor<2x2x4x10x10xf32> -> tensor<2x2x4x10x10xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.000000e+02> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2, 3, 4] : (tensor<2x2x4x10x10xf32>, tensor<f32>) -> tensor<2x2xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1x1x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x2x1x1x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<2x2x1x1x1xf32>, tensor<f32>) -> tensor<2x2x1x1x1xf32>
    return %14 : tensor<2x2x1x1x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x2x1x1x1xf32>, %arg2: tensor<f32>) -> tensor<2x2x1x1x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<2x2x1x1x1xf32>
    return %2 : tensor<2x2x1x1x1xf32>
  }
}
