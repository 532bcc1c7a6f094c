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
