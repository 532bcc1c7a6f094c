// RUN: assay test %s

func.func @reverse_i32_spec_example() {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %inner = stablehlo.reverse %operand, dims = [1] : tensor<3x2xi32>
  check.expect_eq_const %inner, dense<[[2, 1], [4, 3], [6, 5]]> : tensor<3x2xi32>
  %both = stablehlo.reverse %operand, dims = [1, 0] : tensor<3x2xi32>
  check.expect_eq_const %both, dense<[[6, 5], [4, 3], [2, 1]]> : tensor<3x2xi32>
  func.return
}
