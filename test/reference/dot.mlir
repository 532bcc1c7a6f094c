// RUN: assay test %s

func.func @dot_matrix_vector() {
  %lhs = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rhs = stablehlo.constant dense<[1, 10, 100]> : tensor<3xi32>
  %result = stablehlo.dot %lhs, %rhs : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[321, 654]> : tensor<2xi32>
  func.return
}
