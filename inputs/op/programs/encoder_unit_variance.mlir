module @jit_encoder_unit_variance attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32x32xf32>, %arg4: tensor<32x64xf32>, %arg5: tensor<64x32xf32>) -> (tensor<32x32xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %cst = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<32x32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.maximum %7, %6 : tensor<32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<32x32xf32>
    %12 = stablehlo.exponential %11 : tensor<32x32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x32xf32>
    %17 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %18 = stablehlo.dot_general %16, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %19 = stablehlo.add %arg0, %18 : tensor<32x32xf32>
    %20 = stablehlo.dot_general %19, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %21 = call @relu(%20) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %22 = stablehlo.dot_general %21, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    %23 = stablehlo.add %19, %22 : tensor<32x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_4 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %27 = stablehlo.divide %25, %26 : tensor<32x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %29 = stablehlo.subtract %23, %28 : tensor<32x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %30 = call @_var(%23, %c) : (tensor<32x32xf32>, tensor<i32>) -> tensor<32x1xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %32 = stablehlo.add %30, %31 : tensor<32x1xf32>
    %33 = stablehlo.rsqrt %32 : tensor<32x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %35 = stablehlo.multiply %29, %34 : tensor<32x32xf32>
    %36 = stablehlo.dot_general %35, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %37 = stablehlo.dot_general %35, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %39 = stablehlo.dot_general %36, %38, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %cst_6 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<32x32xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_7) applies stablehlo.maximum across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %44 = stablehlo.maximum %43, %42 : tensor<32xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %47 = stablehlo.subtract %41, %46 : tensor<32x32xf32>
    %48 = stablehlo.exponential %47 : tensor<32x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %52 = stablehlo.divide %48, %51 : tensor<32x32xf32>
    %53 = stablehlo.dot_general %35, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %54 = stablehlo.dot_general %52, %53, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %55 = stablehlo.add %35, %54 : tensor<32x32xf32>
    %56 = stablehlo.dot_general %55, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %57 = call @relu(%56) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %58 = stablehlo.dot_general %57, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    %59 = stablehlo.add %55, %58 : tensor<32x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %63 = stablehlo.divide %61, %62 : tensor<32x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %65 = stablehlo.subtract %59, %64 : tensor<32x32xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %66 = call @_var(%59, %c_12) : (tensor<32x32xf32>, tensor<i32>) -> tensor<32x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %68 = stablehlo.add %66, %67 : tensor<32x1xf32>
    %69 = stablehlo.rsqrt %68 : tensor<32x1xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %71 = stablehlo.multiply %65, %70 : tensor<32x32xf32>
    %72 = stablehlo.dot_general %71, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %73 = stablehlo.dot_general %71, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %74 = stablehlo.transpose %73, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %75 = stablehlo.dot_general %72, %74, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %cst_14 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %77 = stablehlo.multiply %75, %76 : tensor<32x32xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_15) applies stablehlo.maximum across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %80 = stablehlo.maximum %79, %78 : tensor<32xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %83 = stablehlo.subtract %77, %82 : tensor<32x32xf32>
    %84 = stablehlo.exponential %83 : tensor<32x32xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%84 init: %cst_17) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %88 = stablehlo.divide %84, %87 : tensor<32x32xf32>
    %89 = stablehlo.dot_general %71, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %90 = stablehlo.dot_general %88, %89, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %91 = stablehlo.add %71, %90 : tensor<32x32xf32>
    %92 = stablehlo.dot_general %91, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %93 = call @relu(%92) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %94 = stablehlo.dot_general %93, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    %95 = stablehlo.add %91, %94 : tensor<32x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_19 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %99 = stablehlo.divide %97, %98 : tensor<32x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %101 = stablehlo.subtract %95, %100 : tensor<32x32xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %102 = call @_var(%95, %c_20) : (tensor<32x32xf32>, tensor<i32>) -> tensor<32x1xf32>
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %104 = stablehlo.add %102, %103 : tensor<32x1xf32>
    %105 = stablehlo.rsqrt %104 : tensor<32x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %107 = stablehlo.multiply %101, %106 : tensor<32x32xf32>
    return %107 : tensor<32x32xf32>
  }
  func.func private @relu(%arg0: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
  func.func private @_var(%arg0: tensor<32x32xf32>, %arg1: tensor<i32>) -> tensor<32x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x32xf32>
    %6 = chlo.square %5 : tensor<32x32xf32> -> tensor<32x32xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<32x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<32x1xf32>, tensor<f32>) -> tensor<32x1xf32>
    return %14 : tensor<32x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<32x1xf32>, %arg2: tensor<f32>) -> tensor<32x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<32x1xf32>
    return %2 : tensor<32x1xf32>
  }
}
