module @jit_conjugate_gradient_steps attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x24xf32>, %arg1: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result"}) {
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
    %11:6 = stablehlo.while(%iterArg = %8, %iterArg_1 = %c_0, %iterArg_2 = %9, %iterArg_3 = %arg1, %iterArg_4 = %arg1, %iterArg_5 = %10) : tensor<24x24xf32>, tensor<i32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>
    cond {
      %c_6 = stablehlo.constant dense<12> : tensor<i32>
      %12 = stablehlo.compare LT, %iterArg_1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12:4 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5) : (tensor<24x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_1, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %13, %12#0, %12#1, %12#2, %12#3 : tensor<24x24xf32>, tensor<i32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>
    }
    return %11#2 : tensor<24xf32>
  }
  func.func private @closed_call(%arg0: tensor<24x24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<f32>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %1 = stablehlo.dot_general %arg3, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
    %2 = stablehlo.divide %arg4, %1 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %4 = stablehlo.multiply %3, %0 : tensor<24xf32>
    %5 = stablehlo.subtract %arg2, %4 : tensor<24xf32>
    %6 = stablehlo.dot_general %5, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %8 = stablehlo.multiply %7, %arg3 : tensor<24xf32>
    %9 = stablehlo.add %arg1, %8 : tensor<24xf32>
    %10 = stablehlo.divide %6, %arg4 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.multiply %11, %arg3 : tensor<24xf32>
    %13 = stablehlo.add %5, %12 : tensor<24xf32>
    return %9, %5, %13, %6 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>
  }
}
