// RUN: assay test %s

func.func @slice_i32_spec_example() {
  %operand = stablehlo.constant dense<[[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]> : tensor<3x4xi32>
  %result = stablehlo.slice %operand [1:3, 2:4:1] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>
  func.return
}

func.func @slice_strided_and_empty() {
  %operand = stablehlo.iota dim = 0 : tensor<7xi64>
  %odd = stablehlo.slice %operand [1:7:2] : (tensor<7xi64>) -> tensor<3xi64>
  check.expect_eq_const %odd, dense<[1, 3, 5]> : tensor<3xi64>
  %none = stablehlo.slice %operand [7:7] : (tensor<7xi64>) -> tensor<0xi64>
  check.expect_eq_const %none, dense<> : tensor<0xi64>
  func.return
}
