// create_token (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @create_token(
func.func @create_token() {
  // CHECK: stablehlo.create_token : !stablehlo.token
  %r0 = stablehlo.create_token : !stablehlo.token
  return
}

// -----

func.func @create_token_result() {
  // expected-error@+1 {{must be token}}
  %0 = stablehlo.create_token : tensor<2x3xf32>
  return
}
