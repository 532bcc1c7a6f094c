// uniform_quantize: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @uniform_quantize(
func.func @uniform_quantize(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // CHECK: stablehlo.uniform_quantize %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  // CHECK: stablehlo.uniform_quantize %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>
  %r1 = stablehlo.uniform_quantize %b : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>
  // CHECK: stablehlo.uniform_quantize %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r2 = stablehlo.uniform_quantize %c : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @uniform_quantize_c1(%a: tensor<3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @uniform_quantize_c2(%a: tensor<2x3xf16>) {
  // expected-error@+1 {{result must express 'f16'}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf16>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @quantized_element_type_c8(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be quantized tensor}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0:300>>
  return
}

// -----

func.func @quantized_element_type_c12(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be quantized tensor}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:2, {1.0, 1.0}>>
  return
}

// -----

func.func @quantized_element_type_c13(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be quantized tensor}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {1.0, 1.0}>>
  return
}
