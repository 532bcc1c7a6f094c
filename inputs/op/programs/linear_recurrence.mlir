module @jit_linear_recurrence attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x8xf32>, %arg1: tensor<32x8xf32>) -> (tensor<32x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.tanh %arg0 : tensor<32x8xf32>
    %1 = stablehlo.slice %0 [0:31:2, 0:8] : (tensor<32x8xf32>) -> tensor<16x8xf32>
    %2 = stablehlo.slice %arg1 [0:31:2, 0:8] : (tensor<32x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.slice %0 [1:32:2, 0:8] : (tensor<32x8xf32>) -> tensor<16x8xf32>
    %4 = stablehlo.slice %arg1 [1:32:2, 0:8] : (tensor<32x8xf32>) -> tensor<16x8xf32>
    %5 = stablehlo.multiply %1, %3 : tensor<16x8xf32>
    %6 = stablehlo.multiply %3, %2 : tensor<16x8xf32>
    %7 = stablehlo.add %6, %4 : tensor<16x8xf32>
    %8 = stablehlo.slice %5 [0:15:2, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %9 = stablehlo.slice %7 [0:15:2, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %10 = stablehlo.slice %5 [1:16:2, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %11 = stablehlo.slice %7 [1:16:2, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.multiply %8, %10 : tensor<8x8xf32>
    %13 = stablehlo.multiply %10, %9 : tensor<8x8xf32>
    %14 = stablehlo.add %13, %11 : tensor<8x8xf32>
    %15 = stablehlo.slice %12 [0:7:2, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %16 = stablehlo.slice %14 [0:7:2, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %17 = stablehlo.slice %12 [1:8:2, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %18 = stablehlo.slice %14 [1:8:2, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %19 = stablehlo.multiply %15, %17 : tensor<4x8xf32>
    %20 = stablehlo.multiply %17, %16 : tensor<4x8xf32>
    %21 = stablehlo.add %20, %18 : tensor<4x8xf32>
    %22 = stablehlo.slice %19 [0:3:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %23 = stablehlo.slice %21 [0:3:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %24 = stablehlo.slice %19 [1:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %25 = stablehlo.slice %21 [1:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %26 = stablehlo.multiply %22, %24 : tensor<2x8xf32>
    %27 = stablehlo.multiply %24, %23 : tensor<2x8xf32>
    %28 = stablehlo.add %27, %25 : tensor<2x8xf32>
    %29 = stablehlo.slice %28 [0:1:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %30 = stablehlo.slice %26 [1:2:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %31 = stablehlo.slice %28 [1:2:2, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %32 = stablehlo.multiply %30, %29 : tensor<1x8xf32>
    %33 = stablehlo.add %32, %31 : tensor<1x8xf32>
    %34 = stablehlo.slice %33 [0:0, 0:8] : (tensor<1x8xf32>) -> tensor<0x8xf32>
    %35 = stablehlo.slice %26 [2:2:2, 0:8] : (tensor<2x8xf32>) -> tensor<0x8xf32>
    %36 = stablehlo.slice %28 [2:2:2, 0:8] : (tensor<2x8xf32>) -> tensor<0x8xf32>
    %37 = stablehlo.multiply %35, %34 : tensor<0x8xf32>
    %38 = stablehlo.add %37, %36 : tensor<0x8xf32>
    %39 = stablehlo.slice %28 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %40 = stablehlo.concatenate %39, %38, dim = 0 : (tensor<1x8xf32>, tensor<0x8xf32>) -> tensor<1x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.pad %40, %cst, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.pad %33, %cst_0, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %43 = stablehlo.add %41, %42 : tensor<2x8xf32>
    %44 = stablehlo.slice %43 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %45 = stablehlo.slice %19 [2:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
    %46 = stablehlo.slice %21 [2:4:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
    %47 = stablehlo.multiply %45, %44 : tensor<1x8xf32>
    %48 = stablehlo.add %47, %46 : tensor<1x8xf32>
    %49 = stablehlo.slice %21 [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
    %50 = stablehlo.concatenate %49, %48, dim = 0 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.pad %50, %cst_1, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.pad %43, %cst_2, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %53 = stablehlo.add %51, %52 : tensor<4x8xf32>
    %54 = stablehlo.slice %53 [0:3, 0:8] : (tensor<4x8xf32>) -> tensor<3x8xf32>
    %55 = stablehlo.slice %12 [2:8:2, 0:8] : (tensor<8x8xf32>) -> tensor<3x8xf32>
    %56 = stablehlo.slice %14 [2:8:2, 0:8] : (tensor<8x8xf32>) -> tensor<3x8xf32>
    %57 = stablehlo.multiply %55, %54 : tensor<3x8xf32>
    %58 = stablehlo.add %57, %56 : tensor<3x8xf32>
    %59 = stablehlo.slice %14 [0:1, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %60 = stablehlo.concatenate %59, %58, dim = 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.pad %60, %cst_3, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.pad %53, %cst_4, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %63 = stablehlo.add %61, %62 : tensor<8x8xf32>
    %64 = stablehlo.slice %63 [0:7, 0:8] : (tensor<8x8xf32>) -> tensor<7x8xf32>
    %65 = stablehlo.slice %5 [2:16:2, 0:8] : (tensor<16x8xf32>) -> tensor<7x8xf32>
    %66 = stablehlo.slice %7 [2:16:2, 0:8] : (tensor<16x8xf32>) -> tensor<7x8xf32>
    %67 = stablehlo.multiply %65, %64 : tensor<7x8xf32>
    %68 = stablehlo.add %67, %66 : tensor<7x8xf32>
    %69 = stablehlo.slice %7 [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %70 = stablehlo.concatenate %69, %68, dim = 0 : (tensor<1x8xf32>, tensor<7x8xf32>) -> tensor<8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.pad %70, %cst_5, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.pad %63, %cst_6, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %73 = stablehlo.add %71, %72 : tensor<16x8xf32>
    %74 = stablehlo.slice %73 [0:15, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
    %75 = stablehlo.slice %0 [2:32:2, 0:8] : (tensor<32x8xf32>) -> tensor<15x8xf32>
    %76 = stablehlo.slice %arg1 [2:32:2, 0:8] : (tensor<32x8xf32>) -> tensor<15x8xf32>
    %77 = stablehlo.multiply %75, %74 : tensor<15x8xf32>
    %78 = stablehlo.add %77, %76 : tensor<15x8xf32>
    %79 = stablehlo.slice %arg1 [0:1, 0:8] : (tensor<32x8xf32>) -> tensor<1x8xf32>
    %80 = stablehlo.concatenate %79, %78, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.pad %80, %cst_7, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<32x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.pad %73, %cst_8, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<32x8xf32>
    %83 = stablehlo.add %81, %82 : tensor<32x8xf32>
    return %83 : tensor<32x8xf32>
  }
}
