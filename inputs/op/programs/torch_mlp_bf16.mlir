module @jit_torch_mlp_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x32xbf16>, %arg1: tensor<64x32xbf16>, %arg2: tensor<64xbf16>, %arg3: tensor<10x64xbf16>, %arg4: tensor<10xbf16>) -> (tensor<8x10xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xbf16>, tensor<32x64xbf16>) -> tensor<8x64xbf16>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<64xbf16>) -> tensor<1x64xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x64xbf16>) -> tensor<8x64xbf16>
    %4 = stablehlo.add %1, %3 : tensor<8x64xbf16>
    %5 = call @relu(%4) : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
    %6 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<10x64xbf16>) -> tensor<64x10xbf16>
    %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xbf16>, tensor<64x10xbf16>) -> tensor<8x10xbf16>
    %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<10xbf16>) -> tensor<1x10xbf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x10xbf16>) -> tensor<8x10xbf16>
    %10 = stablehlo.add %7, %9 : tensor<8x10xbf16>
    return %10 : tensor<8x10xbf16>
  }
  func.func private @relu(%arg0: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8x64xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x64xbf16>
    return %1 : tensor<8x64xbf16>
  }
}
