// RUN: assay test %s
// stablehlo.cross-replica-sum (deprecated). Expected: sums by hand over the groups of replicas.
module @groups {
  func.func @process(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
    %b = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
    %c = stablehlo.constant dense<[11, -1]> : tensor<2xi32>
    %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@process], [@process], [@process]]}
        : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[13, 2]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[5, 7]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[13, 2]> : tensor<2xi32>
    return
  }
}
