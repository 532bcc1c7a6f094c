// after_all: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @after_all(
func.func @after_all(%t: !stablehlo.token) {
  // CHECK: stablehlo.after_all %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : !stablehlo.token
  %r0 = stablehlo.after_all %t, %t : !stablehlo.token
  return
}

// -----

func.func @after_all_i1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be variadic of token}}
  %0 = "stablehlo.after_all"(%a) : (tensor<2x3xf32>) -> !stablehlo.token
  return
}
