// RUN: assay test %s
// stablehlo.reduce_scatter. Expected: sums by hand, each process its part along the dimension.
module @rows {
  func.func @process(%x: tensor<1x4xi32>) -> tensor<1x2xi32> {
    %0 = "stablehlo.reduce_scatter"(%x) ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64} : (tensor<1x4xi32>) -> tensor<1x2xi32>
    return %0 : tensor<1x2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
    %b = stablehlo.constant dense<[[10, 20, 30, 40]]> : tensor<1x4xi32>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@process], [@process]]}
        : (tensor<1x4xi32>, tensor<1x4xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>)
    check.expect_eq_const %r#0, dense<[[33, 44]]> : tensor<1x2xi32>
    check.expect_eq_const %r#1, dense<[[11, 22]]> : tensor<1x2xi32>
    return
  }
}
