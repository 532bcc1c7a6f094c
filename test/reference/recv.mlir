// RUN: assay test %s
// stablehlo.recv: the receiver is first in the grid and waits; two messages in one channel keep their order.
module @order {
  func.func @receiver(%t: !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, tensor<i8>) {
    %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
        : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %1:3 = "stablehlo.recv"(%0#1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
        : (!stablehlo.token) -> (tensor<2xf32>, tensor<i8>, !stablehlo.token)
    return %0#0, %1#0, %1#1 : tensor<2xf32>, tensor<2xf32>, tensor<i8>
  }
  func.func @sender(%x: tensor<2xf32>, %t: !stablehlo.token) {
    %n = stablehlo.constant dense<7> : tensor<i8>
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
        : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %y = stablehlo.negate %x : tensor<2xf32>
    %1 = "stablehlo.send"(%y, %n, %0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
        : (tensor<2xf32>, tensor<i8>, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func @main() {
    %t = stablehlo.after_all : !stablehlo.token
    %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
    %r:3 = "interpreter.run_parallel"(%t, %x, %t) {programs = [[@receiver, @sender]]}
        : (!stablehlo.token, tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, tensor<i8>)
    check.expect_eq_const %r#0, dense<[1.5, -2.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[-1.5, 2.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<7> : tensor<i8>
    return
  }
}
