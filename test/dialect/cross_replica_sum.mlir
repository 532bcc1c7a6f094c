// cross-replica-sum (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @cross_replica_sum(
func.func @cross_replica_sum(%a: tensor<2x3xf32>) {
  // CHECK: "stablehlo.cross-replica-sum"(%{{[^ ,:)]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cross_replica_sum_groups(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat}}
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
