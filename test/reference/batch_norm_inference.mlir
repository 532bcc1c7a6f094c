// RUN: assay test %s
// RUN: assay test --engine native %s
// stablehlo.batch_norm_inference. Expected: the specification's example, else its formula in f64 by NumPy.

func.func @spec_example() {
  %a0 = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %a1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %a3 = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %a4 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0 : f32, feature_index = 2 : i64}>
      : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>)
  check.expect_eq_const %0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  func.return
}

func.func @of_channels() {
  %a0 = stablehlo.constant dense<[[[[1.25, -1.75], [-1.25, -1.0]], [[-1.25, 1.25], [1.5, 0.25]], [[-2.0, -1.75], [-0.75, -0.25]]], [[[0.5, 0.0], [-1.0, -1.5]], [[0.75, 1.0], [-2.0, -1.75]], [[-0.25, -0.5], [1.75, 0.0]]]]> : tensor<2x3x2x2xf32>
  %a1 = stablehlo.constant dense<[-0.25, -0.25, 0.75]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[0.25, -1.5, 1.0]> : tensor<3xf32>
  %a3 = stablehlo.constant dense<[1.0, 2.0, 1.25]> : tensor<3xf32>
  %a4 = stablehlo.constant dense<[0.25, 1.0, 4.0]> : tensor<3xf32>
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0625 : f32, feature_index = 1 : i64}>
      : (tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2x2xf32>)
  check.expect_almost_eq_const %0, dense<[[[[0.138196601125, 1.479837387625], [1.256230589875, 1.144427191]], [[-0.711759218632, -1.318098281223], [-1.378732187482, -1.075562656186]], [[-0.209338662245, -0.116312611303], [0.255791592465, 0.441843694349]]], [[[0.47360679775, 0.6972135955], [1.144427191, 1.36803398875]], [[-1.196830468705, -1.257464374964], [-0.529857499855, -0.590491406114]], [[0.441843694349, 0.348817643407], [1.186052101884, 0.53486974529]]]]> : tensor<2x3x2x2xf32>
  func.return
}

func.func @bf16() {
  %a0 = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xbf16>
  %a1 = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xbf16>
  %a2 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xbf16>
  %a3 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %a4 = stablehlo.constant dense<[4.0, 1.0]> : tensor<2xbf16>
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0 : f32, feature_index = 0 : i64}>
      : (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> (tensor<2xbf16>)
  check.expect_eq_const %0, dense<[3.0, 4.0]> : tensor<2xbf16>
  func.return
}

func.func @a_negative_variance_gives_nan() {
  %a0 = stablehlo.constant dense<[3.0]> : tensor<1xf32>
  %a1 = stablehlo.constant dense<[1.0]> : tensor<1xf32>
  %a2 = stablehlo.constant dense<[1.0]> : tensor<1xf32>
  %a3 = stablehlo.constant dense<[1.0]> : tensor<1xf32>
  %a4 = stablehlo.constant dense<[-4.0]> : tensor<1xf32>
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0 : f32, feature_index = 0 : i64}>
      : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  check.expect_eq_const %0, dense<[0x7FC00000]> : tensor<1xf32>
  func.return
}

func.func @empty() {
  %a0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %a1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 0.0 : f32, feature_index = 1 : i64}>
      : (tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<0x2xf32>)
  check.expect_eq_const %0, dense<> : tensor<0x2xf32>
  func.return
}

// 1.5 and 2.5 with mean 0.5 and variance 4 are 0.5 and 1.0.
func.func @quantised() {
  %x = stablehlo.constant() {value = dense<[3, 5]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %one = stablehlo.constant() {value = dense<2> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %zero = stablehlo.constant() {value = dense<0> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %half = stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %four = stablehlo.constant() {value = dense<8> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %0 = "stablehlo.batch_norm_inference"(%x, %one, %zero, %half, %four) <{epsilon = 0.0 : f32, feature_index = 0 : i64}>
      : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[0.5, 1.0]> : tensor<2xf32>
  func.return
}
