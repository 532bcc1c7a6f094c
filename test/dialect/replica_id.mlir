// replica_id: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @replica_id(
func.func @replica_id() {
  // CHECK: stablehlo.replica_id : tensor<ui32>
  %r0 = stablehlo.replica_id : tensor<ui32>
  return
}

// -----

func.func @replica_id_result() {
  // expected-error@+1 {{0-dimensional tensor of ui32}}
  %0 = stablehlo.replica_id : tensor<i32>
  return
}
