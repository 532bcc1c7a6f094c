module @jit_power_iteration attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x32xf32>, %arg1: tensor<32xf32>) -> (tensor<32xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %2 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %5 = stablehlo.add %2, %4 : tensor<32x32xi32>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %7 = stablehlo.convert %6 : (tensor<32x32xi1>) -> tensor<32x32xf32>
    %8 = stablehlo.add %1, %7 : tensor<32x32xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %9:3 = stablehlo.while(%iterArg = %8, %iterArg_1 = %c_0, %iterArg_2 = %arg1) : tensor<32x32xf32>, tensor<i32>, tensor<32xf32>
    cond {
      %c_3 = stablehlo.constant dense<30> : tensor<i32>
      %12 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12 = func.call @closed_call(%iterArg, %iterArg_2) : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_1, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %13, %12 : tensor<32x32xf32>, tensor<i32>, tensor<32xf32>
    }
    %10 = stablehlo.dot_general %8, %9#2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %11 = stablehlo.dot_general %9#2, %10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32xf32>, tensor<32xf32>) -> tensor<f32>
    return %9#2, %11 : tensor<32xf32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<32x32xf32>, %arg1: tensor<32xf32>) -> tensor<32xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %1 = call @norm(%0) : (tensor<32xf32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.divide %0, %2 : tensor<32xf32>
    return %3 : tensor<32xf32>
  }
  func.func private @norm(%arg0: tensor<32xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
