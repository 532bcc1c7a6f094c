// RUN: assay test %s
// stablehlo.all_gather over a grid of 2 replicas x 2 partitions. Expected: concatenation by hand in the order of each group.
module @cross_replica {
  func.func @process(%x: tensor<1x2xi32>) -> tensor<2x2xi32> {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
        : (tensor<1x2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
    %b = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
    %c = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
    %d = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
    %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@process, @process], [@process, @process]]}
        : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
          -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    check.expect_eq_const %r#0, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
    check.expect_eq_const %r#1, dense<[[7, 8], [3, 4]]> : tensor<2x2xi32>
    check.expect_eq_const %r#2, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
    check.expect_eq_const %r#3, dense<[[7, 8], [3, 4]]> : tensor<2x2xi32>
    return
  }
}

// -----

// With a channel: replicas of the group, each with all its partitions, partition by partition.
module @cross_replica_and_partition {
  func.func @process(%x: tensor<1xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>} : (tensor<1xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<1.0> : tensor<1xf32>
    %b = stablehlo.constant dense<2.0> : tensor<1xf32>
    %c = stablehlo.constant dense<3.0> : tensor<1xf32>
    %d = stablehlo.constant dense<4.0> : tensor<1xf32>
    %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@process, @process], [@process, @process]]}
        : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
          -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    check.expect_eq_const %r#0, dense<[1.0, 3.0, 2.0, 4.0]> : tensor<4xf32>
    check.expect_eq_const %r#3, dense<[1.0, 3.0, 2.0, 4.0]> : tensor<4xf32>
    return
  }
}

// -----

// Groups by the numbers of processes, two groups, two operands, along the inner dimension.
module @flattened_ids {
  func.func @process(%x: tensor<2x1xi8>, %y: tensor<1x1xi1>) -> (tensor<2x2xi8>, tensor<1x2xi1>) {
    %0:2 = "stablehlo.all_gather"(%x, %y) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}
        : (tensor<2x1xi8>, tensor<1x1xi1>) -> (tensor<2x2xi8>, tensor<1x2xi1>)
    return %0#0, %0#1 : tensor<2x2xi8>, tensor<1x2xi1>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi8>
    %b = stablehlo.constant dense<[[3], [4]]> : tensor<2x1xi8>
    %c = stablehlo.constant dense<[[5], [6]]> : tensor<2x1xi8>
    %d = stablehlo.constant dense<[[7], [8]]> : tensor<2x1xi8>
    %t = stablehlo.constant dense<true> : tensor<1x1xi1>
    %f = stablehlo.constant dense<false> : tensor<1x1xi1>
    %r:8 = "interpreter.run_parallel"(%a, %t, %b, %f, %c, %t, %d, %f)
        {programs = [[@process, @process], [@process, @process]]}
        : (tensor<2x1xi8>, tensor<1x1xi1>, tensor<2x1xi8>, tensor<1x1xi1>, tensor<2x1xi8>, tensor<1x1xi1>, tensor<2x1xi8>, tensor<1x1xi1>)
          -> (tensor<2x2xi8>, tensor<1x2xi1>, tensor<2x2xi8>, tensor<1x2xi1>, tensor<2x2xi8>, tensor<1x2xi1>, tensor<2x2xi8>, tensor<1x2xi1>)
    check.expect_eq_const %r#0, dense<[[1, 7], [2, 8]]> : tensor<2x2xi8>
    check.expect_eq_const %r#1, dense<[[true, false]]> : tensor<1x2xi1>
    check.expect_eq_const %r#2, dense<[[5, 3], [6, 4]]> : tensor<2x2xi8>
    check.expect_eq_const %r#4, dense<[[5, 3], [6, 4]]> : tensor<2x2xi8>
    check.expect_eq_const %r#7, dense<[[true, false]]> : tensor<1x2xi1>
    return
  }
}

// -----

// A program on its own is the only process of its grid.
func.func @alone() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}
      : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  return
}
