// concatenate: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @concatenate(
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) {
  // CHECK: stablehlo.concatenate %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %r0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @concatenate_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concatenate_c2(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{inputs must agree in dimension 0}}
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concatenate_c3() {
  // expected-error@+1 {{needs at least one input}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' must be within [0, 2), got 2}}
  %0 = stablehlo.concatenate %a, dim = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_c6(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result must have shape [4, 3], got [2, 3]}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
