// uniform_dequantize: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @uniform_dequantize(
func.func @uniform_dequantize(%a: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // CHECK: stablehlo.uniform_dequantize %{{[^ ,:)]+}} : (tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<2x3xf32>
  %r0 = stablehlo.uniform_dequantize %a : (tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<2x3xf32>
  return
}

// -----

func.func @uniform_dequantize_c1(%a: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<3xf32>
  return
}

// -----

func.func @uniform_dequantize_c2(%a: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  // expected-error@+1 {{must have element type 'f32'}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<2x3xf16>
  return
}

// -----

func.func @uniform_dequantize_storage(%a: tensor<4x!quant.uniform<si8:f32, 1.0>>) {
  // expected-error@+1 {{operand #0 must be quantized tensor}}
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<si8:f32, 1.0>>) -> tensor<4xf32>
  return
}
