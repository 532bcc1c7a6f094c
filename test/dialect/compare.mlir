// compare: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @compare(
func.func @compare(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xi32>, %d: tensor<2x3xi1>, %e: tensor<2x3xcomplex<f32>>, %f: tensor<2x3xi32>) {
  // CHECK: stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %r0 = stablehlo.compare LT, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: stablehlo.compare EQ, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %r1 = stablehlo.compare EQ, %b, %b, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: stablehlo.compare GE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %r2 = stablehlo.compare GE, %c, %c, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  // CHECK: stablehlo.compare NE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, UNSIGNED : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %r3 = stablehlo.compare NE, %d, %d, UNSIGNED : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK: stablehlo.compare GT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, FLOAT : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  %r4 = stablehlo.compare GT, %e, %e, FLOAT : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  // CHECK: stablehlo.compare LE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %r5 = stablehlo.compare LE, %f, %f : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @compare_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @compare_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = stablehlo.compare LT, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_c3(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{compare type FLOAT does not fit}}
  %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @compare_i3(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{'LESS' is not a comparison_direction}}
  %0 = stablehlo.compare LESS, %a, %a : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}
