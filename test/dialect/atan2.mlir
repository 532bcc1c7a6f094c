// atan2: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @atan2(
func.func @atan2(%a0: tensor<2x3xf32>, %b0: tensor<2x3xf32>, %a1: tensor<2x3xcomplex<f32>>, %b1: tensor<2x3xcomplex<f32>>, %a2: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>, %b2: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // CHECK: stablehlo.atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.atan2 %a0, %b0 : tensor<2x3xf32>
  // CHECK: stablehlo.atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>>
  %r1 = stablehlo.atan2 %a1, %b1 : tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r2 = stablehlo.atan2 %a2, %b2 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @atan2_c1(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @atan2_c1_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.atan2"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @atan2_i1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.atan2 %a, %a : tensor<2x3xi32>
  return
}
