// RUN: assay test %s
// stablehlo.collective_reduce: the sum at the first of the group, zeros elsewhere.
module @sum_at_the_first {
  func.func @process(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.collective_reduce"(%x) ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.subtract %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[1, 0, 2]]> : tensor<1x3xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[30, 40]> : tensor<2xi32>
    %c = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
    %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@process], [@process], [@process]]}
        : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[24, 32]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<0> : tensor<2xi32>
    return
  }
}
