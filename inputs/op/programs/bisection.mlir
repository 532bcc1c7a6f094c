module @jit_bisection attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %0, %iterArg_2 = %1, %iterArg_3 = %c) : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<i32>
    cond {
      %3 = stablehlo.convert %iterArg_2 : tensor<16xf32>
      %4 = stablehlo.subtract %3, %iterArg_1 : tensor<16xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %cst_4) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
      %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %6 = stablehlo.compare GT, %5, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<40> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<false> : tensor<i1>
      %8 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<i1>
      %9 = stablehlo.compare NE, %7, %8, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %10 = stablehlo.convert %9 : tensor<i1>
      %11 = stablehlo.and %6, %10 : tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %3 = stablehlo.convert %iterArg_2 : tensor<16xf32>
      %4 = stablehlo.add %iterArg_1, %3 : tensor<16xf32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %6 = stablehlo.multiply %5, %4 : tensor<16xf32>
      %7 = stablehlo.multiply %6, %6 : tensor<16xf32>
      %8 = stablehlo.multiply %7, %6 : tensor<16xf32>
      %9 = stablehlo.add %8, %6 : tensor<16xf32>
      %10 = stablehlo.abs %iterArg : tensor<16xf32>
      %11 = stablehlo.compare LT, %9, %10, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %12 = func.call @_where(%11, %6, %iterArg_1) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %13 = func.call @_where_0(%11, %iterArg_2, %6) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %12, %13, %14 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<i32>
    }
    return %2#1 : tensor<16xf32>
  }
  func.func private @_where(%arg0: tensor<16xi1>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> tensor<16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<16xi1>, tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func private @_where_0(%arg0: tensor<16xi1>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg1 : tensor<16xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<16xi1>, tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
