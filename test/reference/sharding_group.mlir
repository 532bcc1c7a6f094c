// sdy.sharding_group states where its operand is stored, and does not change it.
// RUN: assay test %s
func.func @sharding_group_changes_nothing() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  sdy.sharding_group %x group_id=3 : tensor<2xf32>
  check.expect_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32>
  func.return
}
