// async_done: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @async_done(
func.func @async_done(%f: !stablehlo.future<tensor<1xf32>>) {
  // CHECK: "stablehlo.async_done"(%{{[^ ,:)]+}}) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  %r0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  return
}

// -----

func.func @async_done_c1(%f: !stablehlo.future<tensor<1xf32>>) {
  // expected-error@+1 {{results must have the types of the future}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xf32>>) -> tensor<2xf32>
  return
}
