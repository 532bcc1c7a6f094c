// real_dynamic_slice: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @real_dynamic_slice(
func.func @real_dynamic_slice(%a: tensor<?xf32>, %s: tensor<1xindex>) {
  // CHECK: stablehlo.real_dynamic_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?xf32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  %r0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?xf32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  return
}

// -----

func.func @real_dynamic_slice_sizes(%a: tensor<?xf32>, %s: tensor<2xindex>) {
  // expected-error@+1 {{'start_indices' must have 1 elements, got 2}}
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<?xf32>
  return
}
