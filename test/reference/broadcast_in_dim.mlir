// RUN: assay test %s

func.func @broadcast_in_dim_i32_spec_example() {
  %operand = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = stablehlo.broadcast_in_dim %operand, dims = [2, 1] : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %result, dense<[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]> : tensor<2x3x2xi32>
  func.return
}

func.func @broadcast_in_dim_scalar_to_empty_and_back() {
  %operand = stablehlo.constant dense<7.5> : tensor<f32>
  %empty = stablehlo.broadcast_in_dim %operand, dims = [] : (tensor<f32>) -> tensor<0x2xf32>
  check.expect_eq_const %empty, dense<> : tensor<0x2xf32>
  %result = stablehlo.broadcast_in_dim %operand, dims = [] : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<7.5> : tensor<f32>
  func.return
}
