// collective_broadcast: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @collective_broadcast(
func.func @collective_broadcast(%a: tensor<2x3xf32>) {
  // CHECK: "stablehlo.collective_broadcast"(%{{[^ ,:)]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_broadcast_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_broadcast_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be within [0, }}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -3]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_broadcast_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @collective_broadcast_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'has_dynamic_root' needs at least two operands}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
