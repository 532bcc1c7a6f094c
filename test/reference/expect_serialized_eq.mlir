// RUN: assay test %s
// A probed value is read back, by iteration; failures are in test/cli/serialized_eq.test.
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %first = interpreter.probe %a, probe_id = "a" : tensor<2xf32>
  %second = interpreter.probe %b, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %b, probe_id = "a", iter = 1 : tensor<2xf32>
  return
}
