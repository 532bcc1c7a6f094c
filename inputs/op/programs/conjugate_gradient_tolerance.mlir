module @jit_conjugate_gradient_tolerance attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x24xf32>, %arg1: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %2 = stablehlo.iota dim = 0 : tensor<24x24xi32>
    %3 = stablehlo.iota dim = 1 : tensor<24x24xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x24xi32>
    %5 = stablehlo.add %2, %4 : tensor<24x24xi32>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<24x24xi32>, tensor<24x24xi32>) -> tensor<24x24xi1>
    %7 = stablehlo.convert %6 : (tensor<24x24xi1>) -> tensor<24x24xf32>
    %8 = stablehlo.add %1, %7 : tensor<24x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %10 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %11:6 = stablehlo.while(%iterArg = %8, %iterArg_1 = %9, %iterArg_2 = %arg1, %iterArg_3 = %arg1, %iterArg_4 = %10, %iterArg_5 = %c_0) : tensor<24x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_6 = stablehlo.constant dense<1.000000e-10> : tensor<f32>
      %12 = stablehlo.compare GT, %iterArg_4, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<100> : tensor<i32>
      %13 = stablehlo.compare LT, %iterArg_5, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<false> : tensor<i1>
      %14 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<i1>
      %15 = stablehlo.compare NE, %13, %14, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %16 = stablehlo.convert %15 : tensor<i1>
      %17 = stablehlo.and %12, %16 : tensor<i1>
      stablehlo.return %17 : tensor<i1>
    } do {
      %12 = stablehlo.dot_general %iterArg, %iterArg_3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24xf32>
      %13 = stablehlo.dot_general %iterArg_3, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
      %14 = stablehlo.divide %iterArg_4, %13 : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<24xf32>
      %16 = stablehlo.multiply %15, %iterArg_3 : tensor<24xf32>
      %17 = stablehlo.add %iterArg_1, %16 : tensor<24xf32>
      %18 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<24xf32>
      %19 = stablehlo.multiply %18, %12 : tensor<24xf32>
      %20 = stablehlo.subtract %iterArg_2, %19 : tensor<24xf32>
      %21 = stablehlo.dot_general %20, %20, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
      %22 = stablehlo.divide %21, %iterArg_4 : tensor<f32>
      %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<24xf32>
      %24 = stablehlo.multiply %23, %iterArg_3 : tensor<24xf32>
      %25 = stablehlo.add %20, %24 : tensor<24xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %26 = stablehlo.add %iterArg_5, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %17, %20, %25, %21, %26 : tensor<24x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<i32>
    }
    return %11#1, %11#5 : tensor<24xf32>, tensor<i32>
  }
}
