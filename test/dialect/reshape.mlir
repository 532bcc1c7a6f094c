// reshape: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%a: tensor<2x3xf32>, %b: tensor<?x2xf32, #stablehlo.bounds<5, ?>>) {
  // CHECK: stablehlo.reshape %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %r0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.reshape %{{[^ ,:)]+}} : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>>
  %r1 = stablehlo.reshape %b : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>>
  return
}

// -----

func.func @reshape_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have the same element type}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

func.func @reshape_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{operand has 6 elements, result 7}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @reshape_c2_overflow(%a: tensor<9223372036854775807x2xi8>) {
  // expected-error@+1 {{does not fit 63 bits}}
  %0 = stablehlo.reshape %a : (tensor<9223372036854775807x2xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @reshape_c3(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) {
  // expected-error@+1 {{quantized along the dimension}}
  %0 = stablehlo.reshape %a : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-01,1.000000e-01}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e-01, 1.000000e-01}>>
  return
}

// -----

func.func @reshape_dynamic(%a: tensor<3xf32>) {
  // expected-error@+1 {{result must have a static shape, or one dynamic dimension with a bound, got 'tensor<?x?xf32, #stablehlo.bounds<4, 4>>'}}
  %0 = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<?x?xf32, #stablehlo.bounds<4, 4>>
  return
}

// -----

// CHECK-LABEL: func.func @reshape_bounded(
func.func @reshape_bounded(%a: tensor<3xf32>) {
  // CHECK: stablehlo.reshape %{{[^ ,:)]+}} : (tensor<3xf32>) -> tensor<?x1xf32, #stablehlo.bounds<4, ?>>
  %0 = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<?x1xf32, #stablehlo.bounds<4, ?>>
  return
}
