// pad: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pad(
func.func @pad(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // CHECK: stablehlo.pad %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x4xf32>
  %r0 = stablehlo.pad %a, %v, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @pad_c1(%a: tensor<2x3xf32>, %v: tensor<i32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.pad %a, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c2(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{padding must be given for 2 dimensions}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c3(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{interior padding of dimension 1 must not be negative}}
  %0 = stablehlo.pad %a, %v, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c4(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{result must have shape [3, 3], got [2, 3]}}
  %0 = stablehlo.pad %a, %v, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c4_negative(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{is negative or too large}}
  %0 = stablehlo.pad %a, %v, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}
