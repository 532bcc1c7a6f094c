// RUN: assay test %s

func.func @top_k_values_indices_and_ties() {
  %operand = stablehlo.constant dense<[[3, 1, 3, 2], [0, 9, 8, 9]]> : tensor<2x4xi32>
  %values, %indices = chlo.top_k(%operand, k = 3) : tensor<2x4xi32> -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %values, dense<[[3, 3, 2], [9, 9, 8]]> : tensor<2x3xi32>
  check.expect_eq_const %indices, dense<[[0, 2, 3], [1, 3, 2]]> : tensor<2x3xi32>
  func.return
}
