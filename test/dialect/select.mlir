// select: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @select(
func.func @select(%p: tensor<2x3xi1>, %a: tensor<2x3xf32>, %q: tensor<i1>, %b: tensor<2x3xf32>, %r: tensor<i1>, %c: tensor<?xf32>, %d: tensor<2xf32>) {
  // CHECK: stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi1>, tensor<2x3xf32>
  %r0 = stablehlo.select %p, %a, %a : tensor<2x3xi1>, tensor<2x3xf32>
  // CHECK: stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<i1>, tensor<2x3xf32>
  %r1 = stablehlo.select %q, %b, %b : tensor<i1>, tensor<2x3xf32>
  // CHECK: stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<i1>, tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r2 = stablehlo.select %r, %c, %d : (tensor<i1>, tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c1(%p: tensor<2xi1>, %a: tensor<2x3xf32>) {
  // expected-error@+1 {{pred must have shape [2, 3]}}
  %0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2x3xf32>
  return
}

// -----

func.func @select_c2(%p: tensor<2x3xi1>, %a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.select %p, %a, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}
