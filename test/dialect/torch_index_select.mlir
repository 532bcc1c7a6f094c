// torch_index_select (deprecated): the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @torch_index_select(
func.func @torch_index_select(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  // CHECK: "stablehlo.torch_index_select"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<5x2x5xi32>
  %r0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<5x2x5xi32>
  return
}

// -----

func.func @torch_index_select_result(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{result must have shape [5, 2, 5]}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
  return
}

// -----

func.func @torch_index_select_dim(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{'dim' must be within [0, 3)}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 3 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<5x2x5xi32>
  return
}
