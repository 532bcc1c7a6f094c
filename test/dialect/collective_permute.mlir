// collective_permute: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @collective_permute(
func.func @collective_permute(%a: tensor<2x3xf32>) {
  // CHECK: "stablehlo.collective_permute"(%{{[^ ,:)]+}}) <{source_target_pairs = dense<{{\[\[}}0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_permute_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have shape [1, 2], got [1, 3]}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_permute_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{sources of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_permute_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{targets of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_permute_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not be negative}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @collective_permute_c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}
