// RUN: assay test %s
// RUN: assay test --engine native %s
// stablehlo.batch_norm_grad. Expected: the specification's example, else its formula in f64 by NumPy.

func.func @spec_example() {
  %a0 = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %a1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %a3 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %a4 = stablehlo.constant dense<[[[0.1, 0.1], [0.1, 0.1]], [[0.1, 0.1], [0.1, 0.1]]]> : tensor<2x2x2xf64>
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0 : f32, feature_index = 2 : i64}>
      : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %0#0, dense<[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  check.expect_almost_eq_const %0#1, dense<[0.0, 0.0]> : tensor<2xf64>
  check.expect_almost_eq_const %0#2, dense<[0.4, 0.4]> : tensor<2xf64>
  func.return
}

func.func @of_channels() {
  %a0 = stablehlo.constant dense<[[[[1.25, -1.75], [-1.25, -1.0]], [[-1.25, 1.25], [1.5, 0.25]], [[-2.0, -1.75], [-0.75, -0.25]]], [[[0.5, 0.0], [-1.0, -1.5]], [[0.75, 1.0], [-2.0, -1.75]], [[-0.25, -0.5], [1.75, 0.0]]]]> : tensor<2x3x2x2xf32>
  %a1 = stablehlo.constant dense<[-0.25, -0.25, 0.75]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[1.0, 2.0, 1.25]> : tensor<3xf32>
  %a3 = stablehlo.constant dense<[0.25, 1.0, 4.0]> : tensor<3xf32>
  %a4 = stablehlo.constant dense<[[[[-1.0, -0.75], [0.75, 0.75]], [[0.75, 1.5], [-1.0, 1.75]], [[-2.0, -1.75], [2.0, 2.0]]], [[[-0.75, -1.5], [-0.75, -2.0]], [[1.75, 0.75], [0.25, -1.0]], [[0.0, -1.25], [1.25, 0.0]]]]> : tensor<2x3x2x2xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0625 : f32, feature_index = 1 : i64}>
      : (tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2x2xf32>) -> (tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %0#0, dense<[[[[0.466779190303, -3.401618410772], [-3.446339770322, -3.133290253472]], [[0.547488506516, -0.084709133744], [0.476600336698, 0.03477532859]], [[-0.474432859804, -0.403053255331], [0.905751722921, 0.862458829983]]], [[[-0.584172759122, -0.874861596197], [-2.462469860222, -2.529551899547]], [[-0.055283855707, 0.142222177181], [0.803845095479, 1.061985034626]], [[0.118250422447, -0.325233385793], [0.410209105403, 0.096603975978]]]]> : tensor<2x3x2x2xf32>
  check.expect_almost_eq_const %0#1, dense<[12.521980673999, -6.124024532167, 3.752050721324]> : tensor<3xf32>
  check.expect_almost_eq_const %0#2, dense<[-5.25, 4.75, 0.25]> : tensor<3xf32>
  func.return
}
