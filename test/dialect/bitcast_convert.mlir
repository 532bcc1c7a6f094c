// bitcast_convert: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @bitcast_convert(
func.func @bitcast_convert(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2x4xi8>) {
  // CHECK: stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xi32>
  %r0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2x4xi8>
  %r1 = stablehlo.bitcast_convert %b : (tensor<2xf32>) -> tensor<2x4xi8>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<2x4xi8>) -> tensor<2xf32>
  %r2 = stablehlo.bitcast_convert %c : (tensor<2x4xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @bitcast_convert_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{must have shape}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x2xi8>
  return
}

// -----

func.func @bitcast_convert_c2(%a: tensor<2xf64>) {
  // expected-error@+1 {{converts between complex and other numbers}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}
