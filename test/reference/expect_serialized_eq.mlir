// RUN: rm -rf %t && mkdir %t && not assay run %s --probe-output-dir %t | FileCheck %s

// CHECK: check failed: 1 of 2 elements fails rule exact; worst at [1]
// CHECK: check failed: probe 'a' has no iteration 1
// CHECK: check failed: probe 'ab' has no iteration 0
// CHECK: checks: 1 passed, 3 failed
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %probed = interpreter.probe %a, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %b, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "a", iter = 1 : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "ab" : tensor<2xf32>
  return
}
