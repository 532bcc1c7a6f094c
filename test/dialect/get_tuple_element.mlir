// get_tuple_element: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @get_tuple_element(
func.func @get_tuple_element(%t: tuple<tensor<2x3xf32>, tensor<2x3xi32>>) {
  // CHECK: stablehlo.get_tuple_element %{{[^ ,:)]+}}[1] : (tuple<tensor<2x3xf32>, tensor<2x3xi32>>) -> tensor<2x3xi32>
  %r0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf32>, tensor<2x3xi32>>) -> tensor<2x3xi32>
  return
}

// -----

func.func @get_tuple_element_c1(%t: tuple<tensor<2x3xf32>>) {
  // expected-error@+1 {{'index' must be within [0, 1), got 1}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>
  return
}

// -----

func.func @get_tuple_element_c2(%t: tuple<tensor<2x3xf32>>) {
  // expected-error@+1 {{result must have type}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2x3xf32>>) -> tensor<2x3xi32>
  return
}
