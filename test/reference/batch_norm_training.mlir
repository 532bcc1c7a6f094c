// RUN: assay test %s
// RUN: assay test --engine native %s
// stablehlo.batch_norm_training. Expected: the specification's example, else its formula in f64 by NumPy.

func.func @spec_example() {
  %a0 = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %a1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 0.0 : f32, feature_index = 2 : i64}>
      : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_eq_const %0#0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  check.expect_eq_const %0#1, dense<[2.0, 3.0]> : tensor<2xf64>
  check.expect_eq_const %0#2, dense<[1.0, 1.0]> : tensor<2xf64>
  func.return
}

func.func @of_channels() {
  %a0 = stablehlo.constant dense<[[[[1.25, -1.75], [-1.25, -1.0]], [[-1.25, 1.25], [1.5, 0.25]], [[-2.0, -1.75], [-0.75, -0.25]]], [[[0.5, 0.0], [-1.0, -1.5]], [[0.75, 1.0], [-2.0, -1.75]], [[-0.25, -0.5], [1.75, 0.0]]]]> : tensor<2x3x2x2xf32>
  %a1 = stablehlo.constant dense<[-0.25, -0.25, 0.75]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[0.25, -1.5, 1.0]> : tensor<3xf32>
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 0.0625 : f32, feature_index = 1 : i64}>
      : (tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %0#0, dense<[[[[-0.200710094372, 0.53264870325], [0.41042223698, 0.349309003845]], [[-1.274109384772, -1.737474749343], [-1.7838112858, -1.552128603514]], [[-0.037374290373, 0.131992940708], [0.809461865034, 1.148196327196]]], [[[-0.017370394967, 0.104856071304], [0.349309003845, 0.471535470115]], [[-1.644801676429, -1.691138212886], [-1.1350997754, -1.181436311857]], [[1.148196327196, 0.978829096115], [2.503134175846, 1.317563558277]]]]> : tensor<2x3x2x2xf32>
  check.expect_almost_eq_const %0#1, dense<[-0.59375, -0.03125, -0.46875]> : tensor<3xf32>
  check.expect_almost_eq_const %0#2, dense<[0.9833984375, 1.7568359375, 1.1630859375]> : tensor<3xf32>
  func.return
}

// More values of a feature than the largest f16.
func.func @f16_of_70000_values() {
  %x = stablehlo.constant dense<3.0> : tensor<70000x1xf16>
  %scale = stablehlo.constant dense<2.0> : tensor<1xf16>
  %offset = stablehlo.constant dense<1.0> : tensor<1xf16>
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
      : (tensor<70000x1xf16>, tensor<1xf16>, tensor<1xf16>) -> (tensor<70000x1xf16>, tensor<1xf16>, tensor<1xf16>)
  check.expect_eq_const %0#0, dense<1.0> : tensor<70000x1xf16>
  check.expect_eq_const %0#1, dense<3.0> : tensor<1xf16>
  check.expect_eq_const %0#2, dense<0.0> : tensor<1xf16>
  func.return
}
