// RUN: assay test %s

func.func @pad_i32_spec_example() {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %padding_value = stablehlo.constant dense<0> : tensor<i32>
  %result = stablehlo.pad %operand, %padding_value, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  check.expect_eq_const %result, dense<[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 5, 0, 0, 6, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<5x9xi32>
  func.return
}

func.func @pad_f32_negative_edges_cut() {
  %operand = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %padding_value = stablehlo.constant dense<9.0> : tensor<f32>
  %result = stablehlo.pad %operand, %padding_value, low = [-1], high = [-2], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[9.0, 2.0, 9.0, 3.0]> : tensor<4xf32>
  %all_cut = stablehlo.pad %operand, %padding_value, low = [-4], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %all_cut, dense<9.0> : tensor<2xf32>
  func.return
}

// Most of the operand is cut off: a copy of all of it would write far past the result.
func.func @pad_cuts_most_of_a_large_operand() {
  %operand = stablehlo.iota dim = 0 : tensor<300000xi32>
  %padding_value = stablehlo.constant dense<9> : tensor<i32>
  %result = stablehlo.pad %operand, %padding_value, low = [1], high = [-299997], interior = [0] : (tensor<300000xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[9, 0, 1, 2]> : tensor<4xi32>
  func.return
}
