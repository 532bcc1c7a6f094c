// add: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @add(
func.func @add(%a0: tensor<2x3xf32>, %b0: tensor<2x3xf32>, %a1: tensor<2x3xi32>, %b1: tensor<2x3xi32>, %a2: tensor<2x3xi1>, %b2: tensor<2x3xi1>, %a3: tensor<2x3xcomplex<f32>>, %b3: tensor<2x3xcomplex<f32>>, %a4: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>, %b4: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>, %a5: tensor<?x3xf16>, %b5: tensor<?x3xf16>) {
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.add %a0, %b0 : tensor<2x3xf32>
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi32>
  %r1 = stablehlo.add %a1, %b1 : tensor<2x3xi32>
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi1>
  %r2 = stablehlo.add %a2, %b2 : tensor<2x3xi1>
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>>
  %r3 = stablehlo.add %a3, %b3 : tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r4 = stablehlo.add %a4, %b4 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  // CHECK: stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<?x3xf16>
  %r5 = stablehlo.add %a5, %b5 : tensor<?x3xf16>
  return
}

// -----

func.func @add_c1(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @add_c1_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same shape and element type}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @add_c5(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) {
  // expected-error@+1 {{result must be quantized per axis if and only if}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>, tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @add_c6(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) {
  // expected-error@+1 {{operand is quantized along dimension 0, result along 1}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>, tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) -> tensor<2x3x!quant.uniform<i8:f32:1, {1.000000e-01,1.000000e-01,1.000000e-01}>>
  return
}

// -----

func.func @add_bound(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error@+1 {{operands and result must have the same shape and element type, got 'tensor<?xf32, #stablehlo.bounds<4>>' and 'tensor<5xf32>'}}
  %0 = stablehlo.add %a, %a : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>
  return
}
