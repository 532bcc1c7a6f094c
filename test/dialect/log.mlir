// log: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @log(
func.func @log(%a0: tensor<2x3xf32>, %a1: tensor<2x3xcomplex<f32>>, %a2: tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>, %a3: tensor<?xbf16>, %b: tensor<2x3xf32>) {
  // CHECK: stablehlo.log %{{[^ ,:)]+}} : tensor<2x3xf32>
  %r0 = stablehlo.log %a0 : tensor<2x3xf32>
  // CHECK: stablehlo.log %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>>
  %r1 = stablehlo.log %a1 : tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.log %{{[^ ,:)]+}} : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r2 = stablehlo.log %a2 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:15>>
  // CHECK: stablehlo.log %{{[^ ,:)]+}} : tensor<?xbf16>
  %r3 = stablehlo.log %a3 : tensor<?xbf16>
  // CHECK: stablehlo.log %{{[^ ,:)]+}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
  %r4 = stablehlo.log %b {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
  return
}

// -----

func.func @log_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = "stablehlo.log"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @log_i1(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must be tensor of floating-point or complex numbers or quantized}}
  %0 = stablehlo.log %a : tensor<2x3xi32>
  return
}

// -----

func.func @log_i2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{tolerances need mode TOLERANCE}}
  %0 = stablehlo.log %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
  return
}
