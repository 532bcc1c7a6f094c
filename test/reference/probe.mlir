// RUN: rm -rf %t && mkdir %t && assay run %s --probe-output-dir %t | FileCheck %s
// RUN: FileCheck --check-prefix=INDEX %s < %t/index.csv

// CHECK: checks: 2 passed, 0 failed
// INDEX: here,tensor<2xf32>,{{.*}}probe1.npy
// INDEX-NEXT: here,tensor<2xf32>,{{.*}}probe2.npy
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = interpreter.probe %a, probe_id = "here" : tensor<2xf32>
  %1 = interpreter.probe %b, probe_id = "here" : tensor<2xf32>
  check.expect_serialized_eq %a, probe_id = "here", iter = 0 : tensor<2xf32>
  check.expect_serialized_eq %b, probe_id = "here", iter = 1 : tensor<2xf32>
  func.return
}
