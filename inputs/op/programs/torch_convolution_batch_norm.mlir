module @jit_torch_convolution_batch_norm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x12x12xf32>, %arg1: tensor<8x3x3x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<10x200xf32>, %arg7: tensor<10xf32>) -> (tensor<2x10xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x12x12xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x10x10xf32>
    %1 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<2x8x10x10xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x8x10x10xf32>
    %4 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x8x1x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<1x8x1x1xf32>
    %7 = stablehlo.sqrt %6 : tensor<1x8x1x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<2x8x10x10xf32>
    %9 = stablehlo.divide %3, %8 : tensor<2x8x10x10xf32>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<2x8x10x10xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<2x8x10x10xf32>
    %13 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<2x8x10x10xf32>
    %15 = stablehlo.add %12, %14 : tensor<2x8x10x10xf32>
    %16 = call @relu(%15) : (tensor<2x8x10x10xf32>) -> tensor<2x8x10x10xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.reduce_window"(%16, %17) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %25 = stablehlo.maximum %arg8, %arg9 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<2x8x10x10xf32>, tensor<f32>) -> tensor<2x8x5x5xf32>
    %19 = stablehlo.reshape %18 : (tensor<2x8x5x5xf32>) -> tensor<2x200xf32>
    %20 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<10x200xf32>) -> tensor<200x10xf32>
    %21 = stablehlo.dot_general %19, %20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x200xf32>, tensor<200x10xf32>) -> tensor<2x10xf32>
    %22 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %24 = stablehlo.add %21, %23 : tensor<2x10xf32>
    return %24 : tensor<2x10xf32>
  }
  func.func private @relu(%arg0: tensor<2x8x10x10xf32>) -> tensor<2x8x10x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x10x10xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x8x10x10xf32>
    return %1 : tensor<2x8x10x10xf32>
  }
}
