module @jit_gram_schmidt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x8xf32>) -> (tensor<24x8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<24x8xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<24x8xf32>) -> (tensor<i32>, tensor<24x8xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<24x8xf32>
    }
    return %0#2 : tensor<24x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<24x8xf32>) -> (tensor<i32>, tensor<24x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg0 : tensor<i32>
    %c_1 = stablehlo.constant dense<8> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.dynamic_slice %arg1, %c_2, %4, sizes = [24, 1] : (tensor<24x8xf32>, tensor<i32>, tensor<i32>) -> tensor<24x1xf32>
    %6 = stablehlo.iota dim = 0 : tensor<8xi32>
    %7 = stablehlo.convert %arg0 : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %9 = stablehlo.compare LT, %6, %8, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %10 = stablehlo.convert %9 : (tensor<8xi1>) -> tensor<8xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<24x8xf32>
    %13 = stablehlo.multiply %arg1, %12 : tensor<24x8xf32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<24x8xf32>
    %16 = stablehlo.multiply %arg1, %15 : tensor<24x8xf32>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %18 = stablehlo.dot_general %17, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x24xf32>, tensor<24x1xf32>) -> tensor<8x1xf32>
    %19 = stablehlo.dot_general %13, %18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x8xf32>, tensor<8x1xf32>) -> tensor<24x1xf32>
    %20 = stablehlo.subtract %5, %19 : tensor<24x1xf32>
    %21 = call @norm(%20) : (tensor<24x1xf32>) -> tensor<f32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %23 = stablehlo.divide %20, %22 : tensor<24x1xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %arg0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %25 = stablehlo.convert %arg0 : tensor<i32>
    %c_4 = stablehlo.constant dense<8> : tensor<i32>
    %26 = stablehlo.add %25, %c_4 : tensor<i32>
    %27 = stablehlo.select %24, %26, %arg0 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.dynamic_update_slice %arg1, %23, %c_5, %27 : (tensor<24x8xf32>, tensor<24x1xf32>, tensor<i32>, tensor<i32>) -> tensor<24x8xf32>
    return %0, %28 : tensor<i32>, tensor<24x8xf32>
  }
  func.func private @norm(%arg0: tensor<24x1xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<24x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x1xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
