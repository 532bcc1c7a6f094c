module @jit_jacobi_iteration attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x32xf32>, %arg1: tensor<32xf32>) -> (tensor<32xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<32x32xf32>
    %2 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %5 = stablehlo.add %2, %4 : tensor<32x32xi32>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %7 = stablehlo.convert %6 : (tensor<32x32xi1>) -> tensor<32x32xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<32x32xf32>
    %10 = stablehlo.add %1, %9 : tensor<32x32xf32>
    %11 = call @diagonal(%10) : (tensor<32x32xf32>) -> tensor<32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %13:6 = stablehlo.while(%iterArg = %10, %iterArg_4 = %11, %iterArg_5 = %arg1, %iterArg_6 = %12, %iterArg_7 = %cst_2, %iterArg_8 = %c_3) : tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_9 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %14 = stablehlo.compare GT, %iterArg_7, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<60> : tensor<i32>
      %15 = stablehlo.compare LT, %iterArg_8, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_11 = stablehlo.constant dense<false> : tensor<i1>
      %16 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i1>) -> tensor<i1>
      %17 = stablehlo.compare NE, %15, %16, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %18 = stablehlo.convert %17 : tensor<i1>
      %19 = stablehlo.and %14, %18 : tensor<i1>
      stablehlo.return %19 : tensor<i1>
    } do {
      %14 = stablehlo.dot_general %iterArg, %iterArg_6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %15 = stablehlo.multiply %iterArg_4, %iterArg_6 : tensor<32xf32>
      %16 = stablehlo.subtract %14, %15 : tensor<32xf32>
      %17 = stablehlo.subtract %iterArg_5, %16 : tensor<32xf32>
      %18 = stablehlo.divide %17, %iterArg_4 : tensor<32xf32>
      %19 = stablehlo.subtract %18, %iterArg_6 : tensor<32xf32>
      %20 = stablehlo.abs %19 : tensor<32xf32>
      %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %21 = stablehlo.reduce(%20 init: %cst_9) applies stablehlo.maximum across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %22 = stablehlo.add %iterArg_8, %c_10 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %18, %21, %22 : tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<i32>
    }
    return %13#3 : tensor<32xf32>
  }
  func.func private @diagonal(%arg0: tensor<32x32xf32>) -> tensor<32xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %1 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %3 = stablehlo.add %0, %2 : tensor<32x32xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %5 = stablehlo.convert %4 : (tensor<32x32xi1>) -> tensor<32x32xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<32xi32>
      %9 = stablehlo.iota dim = 0 : tensor<32xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %c_2 = stablehlo.constant dense<32> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %13 = stablehlo.add %8, %12 : tensor<32xi32>
      %14 = stablehlo.select %11, %13, %8 : tensor<32xi1>, tensor<32xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %c_4 = stablehlo.constant dense<32> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %18 = stablehlo.add %9, %17 : tensor<32xi32>
      %19 = stablehlo.select %16, %18, %9 : tensor<32xi1>, tensor<32xi32>
      %20 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
      %22 = stablehlo.concatenate %20, %21, dim = 1 : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x2xi32>
      %23 = "stablehlo.gather"(%arg0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x32xf32>, tensor<32x2xi32>) -> tensor<32xf32>
      stablehlo.return %23 : tensor<32xf32>
    }) : (tensor<i32>) -> tensor<32xf32>
    return %7 : tensor<32xf32>
  }
}
