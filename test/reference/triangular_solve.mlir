// RUN: assay test %s

func.func @triangular_solve_f32_spec_example() {
  %a = stablehlo.constant dense<[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[2.0, 0.0, 0.0], [4.0, 8.0, 0.0], [6.0, 10.0, 12.0]]> : tensor<3x3xf32>
  %result = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %result, dense<[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>
  func.return
}

func.func @triangular_solve_right_transposed_unit_batched() {
  // x a^T = b with a = [[1, 0], [3, 1]] (unit diagonal: 7 and 5 are not read)
  %a = stablehlo.constant dense<[[[7.0, 9.0], [3.0, 5.0]]]> : tensor<1x2x2xf64>
  %b = stablehlo.constant dense<[[[2.0, 10.0]]]> : tensor<1x1x2xf64>
  %result = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<1x2x2xf64>, tensor<1x1x2xf64>) -> tensor<1x1x2xf64>
  check.expect_eq_const %result, dense<[[[2.0, 4.0]]]> : tensor<1x1x2xf64>
  func.return
}
