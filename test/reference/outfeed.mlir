// RUN: assay test %s
// stablehlo.outfeed: the host receives the data; the program continues.
func.func @outfeed() {
  %t = stablehlo.after_all : !stablehlo.token
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
  return
}
