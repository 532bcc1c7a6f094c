// optimization_barrier: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @optimization_barrier(
func.func @optimization_barrier(%a: tensor<2x3xf32>, %i: tensor<2x3xi32>) {
  // CHECK: stablehlo.optimization_barrier %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>, tensor<2x3xi32>
  %r0:2 = stablehlo.optimization_barrier %a, %i : tensor<2x3xf32>, tensor<2x3xi32>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  return
}

// -----

func.func @optimization_barrier_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{results must have the types of the operands}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @optimization_barrier_per_axis(%a: tensor<1x2x!quant.uniform<i8:f32:0, {0.1:-30}>>) {
  // expected-error@+1 {{operands must not be quantized per axis}}
  %0 = stablehlo.optimization_barrier %a : tensor<1x2x!quant.uniform<i8:f32:0, {0.1:-30}>>
  return
}
