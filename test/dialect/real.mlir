// real: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @real(
func.func @real(%a: tensor<2x3xcomplex<f32>>, %b: tensor<2x3xf32>) {
  // CHECK: stablehlo.real %{{[^ ,:)]+}} : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %r0 = stablehlo.real %a : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  // CHECK: stablehlo.real %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r1 = stablehlo.real %b : tensor<2x3xf32>
  return
}

// -----

func.func @real_c1(%a: tensor<2x3xcomplex<f32>>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.real %a : (tensor<2x3xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @real_c2(%a: tensor<2x3xcomplex<f32>>) {
  // expected-error@+1 {{must have element type 'f32'}}
  %0 = stablehlo.real %a : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf64>
  return
}
