// abs: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @abs(
func.func @abs(%a: tensor<2x3xf32>, %c: tensor<2x3xcomplex<f32>>, %i: tensor<2x3xi32>) {
  // CHECK: stablehlo.abs %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.abs %a : tensor<2x3xf32>
  // CHECK: stablehlo.abs %{{[^ ,:)]+}} : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %r1 = stablehlo.abs %c : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  // CHECK: stablehlo.abs %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r2 = stablehlo.abs %i : tensor<2x3xi32>
  return
}

// -----

func.func @abs_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.abs %a : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @abs_c2(%a: tensor<2x3xcomplex<f32>>) {
  // expected-error@+1 {{must have element type 'f32'}}
  %0 = stablehlo.abs %a : tensor<2x3xcomplex<f32>>
  return
}
