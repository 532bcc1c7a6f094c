// slice: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @slice(
func.func @slice(%a: tensor<3x8xf32>) {
  // CHECK: stablehlo.slice %{{[^ ,:)]+}} [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  %r0 = stablehlo.slice %a [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c1(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.slice %a [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @slice_c2(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{must be given for 2 dimensions}}
  %0 = stablehlo.slice %a [1:3] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c3(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{range 1:4 is not within dimension 0 of size 3}}
  %0 = stablehlo.slice %a [1:4, 0:8] : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @slice_c3_order(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{range 2:1 is not within}}
  %0 = stablehlo.slice %a [2:1, 0:8] : (tensor<3x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

func.func @slice_c4(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{stride of dimension 1 must be positive}}
  %0 = stablehlo.slice %a [0:3, 0:8:0] : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @slice_c5(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{result must have shape [3, 3], got [3, 2]}}
  %0 = stablehlo.slice %a [0:3, 0:8:3] : (tensor<3x8xf32>) -> tensor<3x2xf32>
  return
}
