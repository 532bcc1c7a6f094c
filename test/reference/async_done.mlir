// stablehlo.async_start, async_done: a slice, and a sum over processes, both started and waited for.
// RUN: assay test %s
func.func @async_done_slice() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<3xf32>):
    %s = stablehlo.slice %y [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }) : (tensor<3xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[2.0, 3.0]> : tensor<2xf32>
  func.return
}

// -----

module @sums {
  func.func @process(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%y: tensor<2xi32>):
      %s = "stablehlo.all_reduce"(%y) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %r = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %r : tensor<i32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      stablehlo.return %s : tensor<2xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
    %1 = stablehlo.add %x, %x : tensor<2xi32>
    %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
    %3 = stablehlo.add %1, %2 : tensor<2xi32>
    return %3 : tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[13, 26]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[31, 62]> : tensor<2xi32>
    return
  }
}
