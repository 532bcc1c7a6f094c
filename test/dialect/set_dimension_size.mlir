// set_dimension_size: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @set_dimension_size(
func.func @set_dimension_size(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  // CHECK: stablehlo.set_dimension_size %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %r0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  return
}

// -----

func.func @set_dimension_size_c1(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{must be within [0, 2)}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 2 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}
