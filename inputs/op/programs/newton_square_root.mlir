module @jit_newton_square_root attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64xf32>) -> (tensor<64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.abs %arg0 : tensor<64xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.add %0, %1 : tensor<64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:4 = stablehlo.while(%iterArg = %2, %iterArg_1 = %2, %iterArg_2 = %cst_0, %iterArg_3 = %c) : tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %4 = stablehlo.compare GT, %iterArg_2, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<40> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %6 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<i1>
      %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %8 = stablehlo.convert %7 : tensor<i1>
      %9 = stablehlo.and %4, %8 : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %4 = stablehlo.divide %iterArg, %iterArg_1 : tensor<64xf32>
      %5 = stablehlo.add %iterArg_1, %4 : tensor<64xf32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64xf32>
      %7 = stablehlo.multiply %6, %5 : tensor<64xf32>
      %8 = stablehlo.subtract %7, %iterArg_1 : tensor<64xf32>
      %9 = stablehlo.abs %8 : tensor<64xf32>
      %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %10 = stablehlo.reduce(%9 init: %cst_5) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %7, %10, %11 : tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<i32>
    }
    return %3#1 : tensor<64xf32>
  }
}
