module @jit_fixed_point_layer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x32xf32>, %arg1: tensor<8x32xf32>) -> (tensor<8x32xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %0, %iterArg_3 = %cst_0, %iterArg_4 = %c) : tensor<32x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %2 = stablehlo.compare GT, %iterArg_3, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<50> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_4, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<false> : tensor<i1>
      %4 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<i1>
      %5 = stablehlo.compare NE, %3, %4, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.convert %5 : tensor<i1>
      %7 = stablehlo.and %2, %6 : tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
      %3 = stablehlo.multiply %2, %iterArg_2 : tensor<8x32xf32>
      %4 = stablehlo.dot_general %3, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
      %5 = stablehlo.add %4, %iterArg_1 : tensor<8x32xf32>
      %6 = stablehlo.tanh %5 : tensor<8x32xf32>
      %7 = stablehlo.subtract %6, %iterArg_2 : tensor<8x32xf32>
      %8 = stablehlo.abs %7 : tensor<8x32xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %9 = stablehlo.reduce(%8 init: %cst_6) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<f32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg_4, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %6, %9, %10 : tensor<32x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<f32>, tensor<i32>
    }
    return %1#2 : tensor<8x32xf32>
  }
}
