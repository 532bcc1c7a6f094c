// dynamic_reshape: the syntax in both forms, and the constraints, each in a function named after it.
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

// -----

func.func @a_shape_that_is_known(%a: tensor<4xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  // expected-error@+1 {{result must have the shape that the shape operand says}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_reshape_c2_of_a_known_shape(%a: tensor<2x5xf32>) {
  %s = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi32>
  // expected-error@+1 {{operand has 10 elements, result 24}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x5xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  return
}

// -----

func.func @a_shape_of_unknown_length(%a: tensor<?xf32>, %s: tensor<?xindex>) {
  // expected-error@+1 {{'output_shape' must have a static shape}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<?xindex>) -> tensor<1x4xf32>
  return
}
