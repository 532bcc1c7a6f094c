// RUN: assay test %s
// stablehlo.infeed: the results of the infeed functions, in the order of the requests.
module @queue {
  func.func @first() -> tensor<2xi32> {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @second() -> tensor<2xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @process(%t: !stablehlo.token) -> tensor<2xi32> {
    %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    return %0#0 : tensor<2xi32>
  }
  func.func @main() {
    %t = stablehlo.after_all : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%t, %t) {infeed = [@first, @second], programs = [[@process], [@process]]}
        : (!stablehlo.token, !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[0, 1]> : tensor<2xi32>
    return
  }
}
