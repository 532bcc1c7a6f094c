module @jit_runge_kutta attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<40x16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<40x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<16xf32>, tensor<40x16xf32>
    cond {
      %c_2 = stablehlo.constant dense<40> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg_0) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_1, %2#1, %iterArg) : (tensor<40x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<40x16xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %4, %2#0, %3 : tensor<i32>, tensor<16xf32>, tensor<40x16xf32>
    }
    return %1#1, %1#2 : tensor<16xf32>, tensor<40x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<16xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<16xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<16xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<16xf32>
    %7 = stablehlo.sine %6 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<16xf32>
    %10 = stablehlo.subtract %7, %9 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<16xf32>
    %13 = stablehlo.add %arg0, %12 : tensor<16xf32>
    %14 = stablehlo.sine %13 : tensor<16xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<16xf32>
    %17 = stablehlo.subtract %14, %16 : tensor<16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<16xf32>
    %20 = stablehlo.add %arg0, %19 : tensor<16xf32>
    %21 = stablehlo.sine %20 : tensor<16xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %23 = stablehlo.multiply %22, %20 : tensor<16xf32>
    %24 = stablehlo.subtract %21, %23 : tensor<16xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %26 = stablehlo.multiply %25, %10 : tensor<16xf32>
    %27 = stablehlo.add %3, %26 : tensor<16xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %29 = stablehlo.multiply %28, %17 : tensor<16xf32>
    %30 = stablehlo.add %27, %29 : tensor<16xf32>
    %31 = stablehlo.add %30, %24 : tensor<16xf32>
    %cst_8 = stablehlo.constant dense<0.0166666675> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<16xf32>
    %34 = stablehlo.add %arg0, %33 : tensor<16xf32>
    return %34, %arg0 : tensor<16xf32>, tensor<16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<40x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<40x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<40x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<40x16xf32>
    return %1 : tensor<40x16xf32>
  }
}
