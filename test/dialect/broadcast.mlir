// broadcast (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%a: tensor<3xi32>) {
  // CHECK: stablehlo.broadcast %{{[^ ,:)]+}}, sizes = [1, 2] : (tensor<3xi32>) -> tensor<1x2x3xi32>
  %r0 = stablehlo.broadcast %a, sizes = [1, 2] : (tensor<3xi32>) -> tensor<1x2x3xi32>
  return
}

// -----

func.func @broadcast_result(%a: tensor<3xi32>) {
  // expected-error@+1 {{result must have shape [2, 3]}}
  %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @broadcast_sizes(%a: tensor<3xi32>) {
  // expected-error@+1 {{'broadcast_sizes' must not be negative}}
  %0 = stablehlo.broadcast %a, sizes = [-2] : (tensor<3xi32>) -> tensor<3x2xi32>
  return
}
