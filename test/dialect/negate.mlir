// negate: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @negate(
func.func @negate(%a0: tensor<2x3xi32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xcomplex<f32>>, %a3: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // CHECK: stablehlo.negate %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r0 = stablehlo.negate %a0 : tensor<2x3xi32>
  // CHECK: stablehlo.negate %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r1 = stablehlo.negate %a1 : tensor<2x3xf32>
  // CHECK: stablehlo.negate %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>>
  %r2 = stablehlo.negate %a2 : tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.negate %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r3 = stablehlo.negate %a3 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @negate_c1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.negate"(%a) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @negate_i1(%a: tensor<2x3xi1>) {
  // expected-error@+1 {{must be tensor of}}
  %0 = stablehlo.negate %a : tensor<2x3xi1>
  return
}
