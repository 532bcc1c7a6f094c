// RUN: assay test %s
// stablehlo.collective_permute: a ring of three, then one pair; processes that receive nothing have zeros.
module @ring {
  func.func @process(%x: tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>) {
    %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}
        : (tensor<2xbf16>) -> tensor<2xbf16>
    %1 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2xbf16>) -> tensor<2xbf16>
    return %0, %1 : tensor<2xbf16>, tensor<2xbf16>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xbf16>
    %c = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xbf16>
    %r:6 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@process], [@process], [@process]]}
        : (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
          -> (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
    check.expect_eq_const %r#0, dense<[5.0, 6.0]> : tensor<2xbf16>
    check.expect_eq_const %r#1, dense<0.0> : tensor<2xbf16>
    check.expect_eq_const %r#2, dense<[1.0, 2.0]> : tensor<2xbf16>
    check.expect_eq_const %r#3, dense<0.0> : tensor<2xbf16>
    check.expect_eq_const %r#4, dense<[3.0, 4.0]> : tensor<2xbf16>
    check.expect_eq_const %r#5, dense<[5.0, 6.0]> : tensor<2xbf16>
    return
  }
}
