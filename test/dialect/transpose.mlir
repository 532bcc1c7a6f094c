// transpose: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.transpose %{{[^ ,:)]+}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @transpose_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same element type}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @transpose_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'permutation' must name each of the 2 dimensions once}}
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @transpose_c2_range(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'permutation' must name}}
  %0 = stablehlo.transpose %a, dims = [-1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @transpose_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result must have shape [3, 2], got [2, 3]}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c4(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) {
  // expected-error@+1 {{quantized along the dimension}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.1, 0.1, 0.1}>>
  return
}
