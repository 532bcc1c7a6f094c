module @jit_gated_recurrent_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x4x16xf32>, %arg1: tensor<16x48xf32>, %arg2: tensor<16x48xf32>) -> (tensor<4x16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %c, %iterArg_3 = %0) : tensor<12x4x16xf32>, tensor<16x48xf32>, tensor<16x48xf32>, tensor<i32>, tensor<4x16xf32>
    cond {
      %c_4 = stablehlo.constant dense<12> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<12x4x16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %3 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_3, %2) : (tensor<16x48xf32>, tensor<16x48xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_2, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %4, %3 : tensor<12x4x16xf32>, tensor<16x48xf32>, tensor<16x48xf32>, tensor<i32>, tensor<4x16xf32>
    }
    return %1#4 : tensor<4x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x4x16xf32>, %arg1: tensor<i32>) -> tensor<4x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 16] : (tensor<12x4x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x48xf32>, %arg1: tensor<16x48xf32>, %arg2: tensor<4x16xf32>, %arg3: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x48xf32>) -> tensor<4x48xf32>
    %1 = stablehlo.slice %0 [0:4, 0:16] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %2 = stablehlo.slice %0 [0:4, 16:32] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %3 = stablehlo.slice %0 [0:4, 32:48] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %4 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x48xf32>) -> tensor<4x48xf32>
    %5 = stablehlo.slice %4 [0:4, 0:16] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %6 = stablehlo.slice %4 [0:4, 16:32] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %7 = stablehlo.slice %4 [0:4, 32:48] : (tensor<4x48xf32>) -> tensor<4x16xf32>
    %8 = stablehlo.add %2, %6 : tensor<4x16xf32>
    %9 = stablehlo.negate %8 : tensor<4x16xf32>
    %10 = stablehlo.exponential %9 : tensor<4x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %12 = stablehlo.add %11, %10 : tensor<4x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %14 = stablehlo.divide %13, %12 : tensor<4x16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<4x16xf32>
    %17 = stablehlo.add %1, %5 : tensor<4x16xf32>
    %18 = stablehlo.negate %17 : tensor<4x16xf32>
    %19 = stablehlo.exponential %18 : tensor<4x16xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %21 = stablehlo.add %20, %19 : tensor<4x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %23 = stablehlo.divide %22, %21 : tensor<4x16xf32>
    %24 = stablehlo.multiply %23, %7 : tensor<4x16xf32>
    %25 = stablehlo.add %3, %24 : tensor<4x16xf32>
    %26 = stablehlo.tanh %25 : tensor<4x16xf32>
    %27 = stablehlo.multiply %16, %26 : tensor<4x16xf32>
    %28 = stablehlo.multiply %14, %arg2 : tensor<4x16xf32>
    %29 = stablehlo.add %27, %28 : tensor<4x16xf32>
    return %29 : tensor<4x16xf32>
  }
}
