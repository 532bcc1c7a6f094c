module @jit_logistic_descent attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x8xf32>, %arg1: tensor<64xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.compare GT, %arg1, %0, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %2 = stablehlo.convert %1 : (tensor<64xi1>) -> tensor<64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %2, %iterArg_1 = %c, %iterArg_2 = %arg2) : tensor<64x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8xf32>
    cond {
      %c_3 = stablehlo.constant dense<40> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @closed_call(%iterArg, %iterArg_0, %iterArg_2) : (tensor<64x8xf32>, tensor<64xf32>, tensor<8xf32>) -> tensor<8xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_1, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %5, %4 : tensor<64x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8xf32>
    }
    return %3#3 : tensor<8xf32>
  }
  func.func private @closed_call(%arg0: tensor<64x8xf32>, %arg1: tensor<64xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<64x8xf32>) -> tensor<8x64xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x64xf32>
    %3 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<64xf32>
    %4 = stablehlo.negate %3 : tensor<64xf32>
    %5 = stablehlo.exponential %4 : tensor<64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %7 = stablehlo.add %6, %5 : tensor<64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %9 = stablehlo.divide %8, %7 : tensor<64xf32>
    %10 = stablehlo.subtract %9, %arg1 : tensor<64xf32>
    %11 = stablehlo.dot_general %2, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %13 = stablehlo.divide %11, %12 : tensor<8xf32>
    %14 = stablehlo.subtract %arg2, %13 : tensor<8xf32>
    return %14 : tensor<8xf32>
  }
}
