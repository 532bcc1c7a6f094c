// RUN: assay test %s
// stablehlo.collective_broadcast: the first of the group sends; processes in no group have zeros; a root by number.
module @first_of_the_group {
  func.func @process(%x: tensor<2xi64>) -> tensor<2xi64> {
    %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %c = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
    %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@process], [@process], [@process]]}
        : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[0, 0]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[5, 6]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[5, 6]> : tensor<2xi64>
    return
  }
}
