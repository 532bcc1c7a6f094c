// RUN: assay test %s

func.func @get_dimension_size_spec_example() {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %result = stablehlo.get_dimension_size %operand, dim = 1 : (tensor<2x3xi32>) -> tensor<i32>
  check.expect_eq_const %result, dense<3> : tensor<i32>
  func.return
}
