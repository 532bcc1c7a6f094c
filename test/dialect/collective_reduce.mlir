// collective_reduce: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @collective_reduce(
func.func @collective_reduce(%a: tensor<2x3xf32>) {
  // CHECK: "stablehlo.collective_reduce"(%{{[^ ,:)]+}}) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> ({
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
  // CHECK-NEXT: %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_reduce_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat a number}}
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_reduce_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{results must have shape [2, 3]}}
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @collective_reduce_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{can be promoted to}}
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %s = stablehlo.add %x, %y : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
