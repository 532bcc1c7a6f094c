// RUN: assay test %s

func.func @concatenate_i32_spec_example() {
  %input0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %input1 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %result = stablehlo.concatenate %input0, %input1, dim = 0 : (tensor<3x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  check.expect_eq_const %result, dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  func.return
}

func.func @concatenate_i8_inner_dimension_with_an_empty_part() {
  %input0 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %input1 = stablehlo.constant dense<> : tensor<2x0xi8>
  %input2 = stablehlo.constant dense<5> : tensor<2x2xi8>
  %result = stablehlo.concatenate %input0, %input1, %input2, dim = 1 : (tensor<2x1xi8>, tensor<2x0xi8>, tensor<2x2xi8>) -> tensor<2x3xi8>
  check.expect_eq_const %result, dense<[[1, 5, 5], [2, 5, 5]]> : tensor<2x3xi8>
  func.return
}
