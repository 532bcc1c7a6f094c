// RUN: assay run %s | FileCheck %s

// CHECK: %{{[a-z0-9_]+}} = tensor<2x2xi8> {
// CHECK-NEXT:   [
// CHECK-NEXT:     [1, 2],
// CHECK-NEXT:     [3, 4]
// CHECK-NEXT:   ]
// CHECK-NEXT: }
func.func @main() {
  %value = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  interpreter.print %value : tensor<2x2xi8>
  func.return
}
