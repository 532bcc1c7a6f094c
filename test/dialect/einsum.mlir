// einsum (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @einsum(
func.func @einsum(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<5x8x16xf32>, %d: tensor<5x16x4xf32>) {
  // CHECK: stablehlo.einsum %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, config = "ab,bc->ac" : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %r0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.einsum %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, config = "...ab,...bc->...ac" : (tensor<5x8x16xf32>, tensor<5x16x4xf32>) -> tensor<5x8x4xf32>
  %r1 = stablehlo.einsum %c, %d, config = "...ab,...bc->...ac" : (tensor<5x8x16xf32>, tensor<5x16x4xf32>) -> tensor<5x8x4xf32>
  return
}

// -----

func.func @einsum_arrow(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{must have the form}}
  %0 = stablehlo.einsum %a, %a, config = "ab,ab" : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @einsum_rank(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{does not fit an operand of rank 2}}
  %0 = stablehlo.einsum %a, %a, config = "abc,ab->ab" : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @einsum_sizes(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{dimension 'b' of 'einsum_config' has sizes 16 and 8}}
  %0 = stablehlo.einsum %a, %a, config = "ab,bc->ac" : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @einsum_output(%a: tensor<8x16xf32>) {
  // expected-error@+1 {{is in no operand}}
  %0 = stablehlo.einsum %a, %a, config = "ab,ab->c" : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
  return
}
