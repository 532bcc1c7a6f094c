// reverse: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reverse(
func.func @reverse(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.reverse %{{[^ ,:)]+}}, dims = [0, 1] : tensor<2x3xf32>
  %r0 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @reverse_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape and element type}}
  %0 = stablehlo.reverse %a, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @reverse_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat}}
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @reverse_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be within [0, 2), got 2}}
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  return
}
