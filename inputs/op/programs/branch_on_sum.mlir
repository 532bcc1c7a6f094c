module @jit_branch_on_sum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x16xf32>, %arg1: tensor<16x16xf32>) -> (tensor<32x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.compare GT, %1, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.convert %2 : (tensor<i1>) -> tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %5 = stablehlo.tanh %0 : tensor<32x16xf32>
      stablehlo.return %5 : tensor<32x16xf32>
    }, {
      %5 = stablehlo.negate %0 : tensor<32x16xf32>
      %6 = stablehlo.multiply %5, %0 : tensor<32x16xf32>
      %7 = stablehlo.exponential %6 : tensor<32x16xf32>
      stablehlo.return %7 : tensor<32x16xf32>
    }) : (tensor<i32>) -> tensor<32x16xf32>
    return %4 : tensor<32x16xf32>
  }
}
