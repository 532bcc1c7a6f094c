// RUN: assay test %s
// stablehlo.all_to_all between partitions. Expected: parts exchanged by hand.
module @partitions {
  func.func @process(%x: tensor<2x4xi32>) -> tensor<4x2xi32> {
    %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}
        : (tensor<2x4xi32>) -> tensor<4x2xi32>
    return %0 : tensor<4x2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
    %b = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi32>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@process, @process]]}
        : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
    check.expect_eq_const %r#0, dense<[[1, 2], [5, 6], [9, 10], [13, 14]]> : tensor<4x2xi32>
    check.expect_eq_const %r#1, dense<[[3, 4], [7, 8], [11, 12], [15, 16]]> : tensor<4x2xi32>
    return
  }
}
