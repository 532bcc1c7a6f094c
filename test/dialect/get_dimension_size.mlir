// get_dimension_size: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @get_dimension_size(
func.func @get_dimension_size(%a: tensor<?x3xf32>) {
  // CHECK: stablehlo.get_dimension_size %{{[^ ,:)]+}}, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %r0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  return
}

// -----

func.func @get_dimension_size_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be within [0, 2), got 2}}
  %0 = stablehlo.get_dimension_size %a, dim = 2 : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// -----

func.func @get_dimension_size_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{0-dimensional tensor of i32}}
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i64>
  return
}
