// iota: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @iota(
func.func @iota() {
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xi32>
  %r0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{'iota_dimension' must be within [0, 2), got 2}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

func.func @iota_static() {
  // expected-error@+1 {{result must have a static shape}}
  %0 = stablehlo.iota dim = 0 : tensor<?xi32>
  return
}
