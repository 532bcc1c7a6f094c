// RUN: assay test %s

func.func @top_k_values_indices_and_ties() {
  %operand = stablehlo.constant dense<[[3, 1, 3, 2], [0, 9, 8, 9]]> : tensor<2x4xi32>
  %values, %indices = chlo.top_k(%operand, k = 3) : tensor<2x4xi32> -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %values, dense<[[3, 3, 2], [9, 9, 8]]> : tensor<2x3xi32>
  check.expect_eq_const %indices, dense<[[0, 2, 3], [1, 3, 2]]> : tensor<2x3xi32>
  func.return
}

func.func @top_k_of_unsigned_integers() {
  %operand = stablehlo.constant dense<[1, 4294967295, 7, 3000000000]> : tensor<4xui32>
  %values, %indices = chlo.top_k(%operand, k = 2) : tensor<4xui32> -> (tensor<2xui32>, tensor<2xi32>)
  check.expect_eq_const %values, dense<[4294967295, 3000000000]> : tensor<2xui32>
  check.expect_eq_const %indices, dense<[1, 3]> : tensor<2xi32>
  %small = stablehlo.constant dense<[200, 3, 255, 7, 100]> : tensor<5xui8>
  %v, %i = chlo.top_k(%small, k = 3) : tensor<5xui8> -> (tensor<3xui8>, tensor<3xi32>)
  check.expect_eq_const %v, dense<[255, 200, 100]> : tensor<3xui8>
  check.expect_eq_const %i, dense<[2, 0, 4]> : tensor<3xi32>
  %large = stablehlo.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
  %w, %j = chlo.top_k(%large, k = 1) : tensor<2xui64> -> (tensor<1xui64>, tensor<1xi32>)
  check.expect_eq_const %w, dense<[18446744073709551615]> : tensor<1xui64>
  check.expect_eq_const %j, dense<[0]> : tensor<1xi32>
  func.return
}
