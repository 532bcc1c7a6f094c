module @jit_k_means attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48x4xf32>, %arg1: tensor<5x4xf32>) -> (tensor<5x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %arg1) : tensor<48x4xf32>, tensor<i32>, tensor<5x4xf32>
    cond {
      %c_2 = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<48x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_2 : tensor<i32>
      stablehlo.return %iterArg, %2, %1 : tensor<48x4xf32>, tensor<i32>, tensor<5x4xf32>
    }
    return %0#2 : tensor<5x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<48x4xf32>, %arg1: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<48x4xf32>) -> tensor<48x1x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x4xf32>) -> tensor<1x5x4xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<48x1x4xf32>) -> tensor<48x5x4xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x5x4xf32>) -> tensor<48x5x4xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<48x5x4xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<48x5x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<48x5x4xf32>, tensor<f32>) -> tensor<48x5xf32>
    %7 = call @argmin(%6) : (tensor<48x5xf32>) -> tensor<48xi32>
    %8 = call @_one_hot(%7) : (tensor<48xi32>) -> tensor<48x5xf32>
    %9 = stablehlo.transpose %8, dims = [1, 0] : (tensor<48x5xf32>) -> tensor<5x48xf32>
    %10 = stablehlo.dot_general %9, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x48xf32>, tensor<48x4xf32>) -> tensor<5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<48x5xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %13 = stablehlo.maximum %11, %12 : tensor<5xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %16 = stablehlo.divide %10, %15 : tensor<5x4xf32>
    return %16 : tensor<5x4xf32>
  }
  func.func private @argmin(%arg0: tensor<48x5xf32>) -> tensor<48xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<48x5xi32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<48x5xf32>, tensor<48x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<48xf32>, tensor<48xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<48xi32>
  }
  func.func private @_one_hot(%arg0: tensor<48xi32>) -> tensor<48x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<48xi32>) -> tensor<48x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x5xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<48x1xi32>) -> tensor<48x5xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<48x5xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<48x5xi32>, tensor<48x5xi32>) -> tensor<48x5xi1>
    %5 = stablehlo.convert %4 : (tensor<48x5xi1>) -> tensor<48x5xf32>
    return %5 : tensor<48x5xf32>
  }
}
