// ceil: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @ceil(
func.func @ceil(%a0: tensor<2x3xf32>, %a1: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // CHECK: stablehlo.ceil %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.ceil %a0 : tensor<2x3xf32>
  // CHECK: stablehlo.ceil %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r1 = stablehlo.ceil %a1 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @ceil_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @ceil_i1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.ceil %a : tensor<2x3xi32>
  return
}
