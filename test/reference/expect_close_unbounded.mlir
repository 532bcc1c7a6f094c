// RUN: assay test %s | FileCheck %s
// CHECK: 1 passed, 0 failed
// Without a limit, every difference is accepted.
func.func @infinities_and_nan() {
  %a = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 1.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[2.0, 1.0, -5.0]> : tensor<3xf32>
  check.expect_close %a, %b, max_ulp_difference = 18446744073709551615 : tensor<3xf32>, tensor<3xf32>
  return
}
