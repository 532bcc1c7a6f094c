// dynamic_conv: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_conv(
func.func @dynamic_conv(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>, %p: tensor<2x2xi64>) {
  // CHECK: "stablehlo.dynamic_conv"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>, tensor<2x2xi64>) -> tensor<4x?x?x8xf32>
  %r0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>, tensor<2x2xi64>) -> tensor<4x?x?x8xf32>
  return
}

// -----

func.func @dynamic_conv_c4(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>, %p: tensor<3x2xi64>) {
  // expected-error@+1 {{'padding' must have shape [2, 2], got [3, 2]}}
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>, tensor<3x2xi64>) -> tensor<4x?x?x8xf32>
  return
}

// -----

func.func @dynamic_conv_c23(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{must not both be greater than 1}}
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>, tensor<2x2xi64>) -> tensor<4x?x?x8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @more_strides_than_dimensions_all_equal(
func.func @more_strides_than_dimensions_all_equal(%x: tensor<1x?x4xf32>, %k: tensor<3x4x5xf32>, %p: tensor<1x2xi32>) -> tensor<1x?x5xf32> {
  // CHECK: window_strides = array<i64: 2, 2>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{window_strides = array<i64: 2, 2>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x?x4xf32>, tensor<3x4x5xf32>, tensor<1x2xi32>) -> tensor<1x?x5xf32>
  return %0 : tensor<1x?x5xf32>
}

// -----

func.func @dynamic_conv_c2(%x: tensor<1x?x4xf32>, %k: tensor<3x4x5xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{'window_strides' must have 1 elements, got 2}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{window_strides = array<i64: 2, 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x?x4xf32>, tensor<3x4x5xf32>, tensor<1x2xi32>) -> tensor<1x?x5xf32>
  return
}

// -----

func.func @dynamic_conv_c27(%a: tensor<1x4x4x1xi64>, %b: tensor<3x3x1x1xi32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{lhs and rhs must have one element type, got 'i64' and 'i32'}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi32>, tensor<2x2xi64>) -> tensor<1x2x2x1xi64>
  return
}
