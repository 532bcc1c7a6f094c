// RUN: assay test %s
// stablehlo.send to the partner that the pairs name: a ring of three.
module @pairs {
  func.func @process(%x: tensor<i32>, %t: !stablehlo.token) -> tensor<i32> {
    %s = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %0:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    return %0#0 : tensor<i32>
  }
  func.func @main() {
    %t = stablehlo.after_all : !stablehlo.token
    %a = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.constant dense<2> : tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %r:3 = "interpreter.run_parallel"(%a, %t, %b, %t, %c, %t) {programs = [[@process], [@process], [@process]]}
        : (tensor<i32>, !stablehlo.token, tensor<i32>, !stablehlo.token, tensor<i32>, !stablehlo.token)
          -> (tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<3> : tensor<i32>
    check.expect_eq_const %r#1, dense<1> : tensor<i32>
    check.expect_eq_const %r#2, dense<2> : tensor<i32>
    return
  }
}
