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

// The size of the slice differs in each iteration: 0 + (0 + 1) + (0 + 1 + 2).
func.func @sizes_change_in_a_loop() {
  %operand = stablehlo.iota dim = 0 : tensor<8xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %stride = stablehlo.constant dense<1> : tensor<1xi32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %limit = stablehlo.reshape %next : (tensor<i32>) -> tensor<1xi32>
    %slice = stablehlo.real_dynamic_slice %operand, %start, %limit, %stride : (tensor<8xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %all = stablehlo.reduce(%slice init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %more = stablehlo.add %sum, %all : tensor<i32>
    stablehlo.return %next, %more : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#1, dense<4> : tensor<i32>
  func.return
}
