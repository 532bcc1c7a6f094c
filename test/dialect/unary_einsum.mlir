// unary_einsum (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @unary_einsum(
func.func @unary_einsum(%a: tensor<8x16xf32>) {
  // CHECK: stablehlo.unary_einsum %{{[^ ,:)]+}}, config = "ab->a" : (tensor<8x16xf32>) -> tensor<8xf32>
  %r0 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<8x16xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @unary_einsum_operands(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{must describe 1 operands, got 2}}
  %0 = stablehlo.unary_einsum %a, config = "ab,ab->a" : (tensor<8x16xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @unary_einsum_result(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{result must have shape [16], got [8]}}
  %0 = stablehlo.unary_einsum %a, config = "ab->b" : (tensor<8x16xf32>) -> tensor<8xf32>
  return
}
