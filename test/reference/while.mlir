// RUN: assay test %s

func.func @while_carries_values() {
  %i = stablehlo.constant dense<1> : tensor<i64>
  %sum = stablehlo.constant dense<0> : tensor<i64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%a = %i, %s = %sum) : tensor<i64>, tensor<i64>
  cond {
    %p = stablehlo.compare LT, %a, %ten, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %t = stablehlo.add %s, %one : tensor<i64>
    %b = stablehlo.add %a, %one : tensor<i64>
    stablehlo.return %b, %t : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %r#0, dense<10> : tensor<i64>
  check.expect_eq_const %r#1, dense<9> : tensor<i64>
  check.expect_eq_const %i, dense<1> : tensor<i64>
  func.return
}

func.func @while_swaps_its_values_and_may_not_run_at_all() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%x = %a, %y = %b, %k = %n) : tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %k, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %k, %one : tensor<i32>
    stablehlo.return %y, %x, %m : tensor<i32>, tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<2> : tensor<i32>
  check.expect_eq_const %r#1, dense<1> : tensor<i32>
  %never:1 = stablehlo.while(%x = %a) : tensor<i32>
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    stablehlo.return %b : tensor<i32>
  }
  check.expect_eq_const %never, dense<1> : tensor<i32>
  func.return
}
