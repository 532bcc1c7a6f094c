// the functions of two operands of chlo: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chlo_binary(
func.func @chlo_binary(%next_after: tensor<2x3xf32>, %polygamma: tensor<2x3xf32>, %zeta: tensor<2x3xf32>, %m: tensor<2x3xi32>) {
  // CHECK: chlo.next_after %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %r0 = chlo.next_after %next_after, %next_after : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.polygamma %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %r1 = chlo.polygamma %polygamma, %polygamma : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.zeta %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %r2 = chlo.zeta %zeta, %zeta : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.mulhi %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  %r3 = chlo.mulhi %m, %m : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  return
}

// -----

func.func @zeta_shape(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{same shape and element type}}
  %0 = chlo.zeta %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @mulhi_type(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be tensor of integers}}
  %0 = chlo.mulhi %a, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}
