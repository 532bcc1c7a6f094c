// dynamic_reshape: the syntax in both forms, and the constraints, each in a function of its name.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_reshape(
func.func @dynamic_reshape(%a: tensor<2x3xf32>, %s: tensor<1xi64>) {
  // CHECK: stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  %r0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_reshape_c1(%a: tensor<2x3xf32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{must have the same element type}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

func.func @dynamic_reshape_c2(%a: tensor<2x3xf32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{operand has 6 elements}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_reshape_c4(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'output_shape' must have 1 elements, got 2}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}
