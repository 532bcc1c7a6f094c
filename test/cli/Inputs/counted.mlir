// A check that fails, and then an error: both are reported, once.
func.func @main() {
  %0 = stablehlo.constant dense<3> : tensor<i32>
  check.expect_eq_const %0, dense<4> : tensor<i32>
  func.call @again(%0) : (tensor<i32>) -> ()
  return
}
func.func private @again(%x: tensor<i32>) {
  func.call @again(%x) : (tensor<i32>) -> ()
  return
}
