// RUN: assay test %s

func.func @real_dynamic_slice_strided() {
  %operand = stablehlo.iota dim = 0 : tensor<8xi32>
  %start = stablehlo.constant dense<1> : tensor<1xi64>
  %limit = stablehlo.constant dense<6> : tensor<1xi64>
  %stride = stablehlo.constant dense<2> : tensor<1xi64>
  %result = stablehlo.real_dynamic_slice %operand, %start, %limit, %stride : (tensor<8xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[1, 3, 5]> : tensor<3xi32>
  func.return
}
