// RUN: assay test %s

func.func @dynamic_slice_clamps_its_starts() {
  %operand = stablehlo.constant dense<[[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]> : tensor<4x4xi32>
  %row = stablehlo.constant dense<-1> : tensor<i64>
  %column = stablehlo.constant dense<3> : tensor<i64>
  %result = stablehlo.dynamic_slice %operand, %row, %column, sizes = [2, 2] : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>
  func.return
}

func.func @dynamic_slice_unsigned_indices_are_not_sign_extended() {
  %operand = stablehlo.iota dim = 0 : tensor<300xi32>
  %start = stablehlo.constant dense<200> : tensor<ui8>
  %result = stablehlo.dynamic_slice %operand, %start, sizes = [2] : (tensor<300xi32>, tensor<ui8>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[200, 201]> : tensor<2xi32>
  func.return
}
