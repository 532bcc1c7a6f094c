// convolution: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @convolution(
func.func @convolution(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>, %a1: tensor<4x9x9x6xf32>, %k1: tensor<3x3x6x8xf32>) {
  // CHECK: stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x5x4x8xf32>
  %r0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x5x4x8xf32>
  // CHECK: stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  %r1 = stablehlo.convolution(%a1, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c1(%a: tensor<4x9x9x6xf32>, %k: tensor<3x6x8xf32>) {
  // expected-error@+1 {{must have one rank}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c2(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'window_strides' must have 2 elements, got 1}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c3(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'window_strides' must be positive}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c4(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'padding' must have shape [2, 2], got [1, 2]}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c5(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'lhs_dilation' must have 2 elements}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c6(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'lhs_dilation' must be positive}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1, -1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c7(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'rhs_dilation' must have 2 elements}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c8(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'rhs_dilation' must be positive}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c9(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{'window_reversal' must have 2 elements}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c10(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{batch size of lhs, 4, must be a multiple of 'batch_group_count', 3}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c11(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{number of features of lhs, 6, must be a multiple of 'feature_group_count', 4}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c13(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{unexpected or repeated dimension 'b'}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, b, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c14(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{number of input features of rhs must be 3, got 6}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c15(%a: tensor<9x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{number of output features of rhs, 8, must be a multiple of 'batch_group_count', 3}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<9x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c16(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x2x8xf32>) {
  // expected-error@+1 {{must be a multiple of 'feature_group_count', 3}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x2x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c12(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{lhs must have 2 spatial dimensions, got 1}}
  %0 = "stablehlo.convolution"(%a, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c18(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{dimension numbers of rhs must be within [0, 4) and not repeat}}
  %0 = "stablehlo.convolution"(%a, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c21(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{group counts must be positive}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c22(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{group counts must be positive}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c23(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{must not both be greater than 1}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c24(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{must have at most 2 elements}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c25(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{result must have shape [4, 7, 7, 8], got [4, 7, 8, 8]}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x8x8xf32>
  return
}

// -----

func.func @convolution_c26(%a: tensor<4x9x9x6xf32>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{result must have shape [4, 7, 7, 8], got [4, 7, 7]}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf32>, tensor<3x3x6x8xf32>) -> tensor<4x7x7xf32>
  return
}

// -----

// The operands may have two different types of 8 bits, since StableHLO 1.20.
// CHECK-LABEL: func.func @convolution_of_two_f8(
func.func @convolution_of_two_f8(%a: tensor<4x9x9x6xf8E4M3FN>, %k: tensor<3x3x6x8xf8E5M2>) {
  // CHECK: (tensor<4x9x9x6xf8E4M3FN>, tensor<3x3x6x8xf8E5M2>) -> tensor<4x7x7x8xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf8E4M3FN>, tensor<3x3x6x8xf8E5M2>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c27_f8(%a: tensor<4x9x9x6xf8E4M3FN>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{lhs and rhs must have one element type, got 'f8E4M3FN' and 'f32'}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xf8E4M3FN>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c27(%a: tensor<4x9x9x6xcomplex<f32>>, %k: tensor<3x3x6x8xf32>) {
  // expected-error@+1 {{lhs and rhs must have one element type}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6xcomplex<f32>>, tensor<3x3x6x8xf32>) -> tensor<4x7x7x8xf32>
  return
}

// -----

func.func @convolution_c27(%a: tensor<1x4x4x1xi64>, %b: tensor<3x3x1x1xi32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{lhs and rhs must have one element type, got 'i64' and 'i32'}}
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi32>) -> tensor<1x2x2x1xi64>
  return
}

// -----

func.func @convolution_per_axis(%a: tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, %k: tensor<3x3x6x2x!quant.uniform<i8:f32:3, {1.0, 1.0}>>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, tensor<3x3x6x2x!quant.uniform<i8:f32:3, {1.0, 1.0}>>) -> tensor<4x7x7x2x!quant.uniform<i32:f32:3, {1.0, 1.0}>>
  return
}

// -----

func.func @convolution_c29(%a: tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, %k: tensor<3x3x6x2x!quant.uniform<i8:f32:2, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) {
  // expected-error@+1 {{rhs must be quantized along its output feature dimension}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, tensor<3x3x6x2x!quant.uniform<i8:f32:2, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) -> tensor<4x7x7x2x!quant.uniform<i32:f32:3, {1.0, 1.0}>>
  return
}

// -----

func.func @convolution_c30(%a: tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, %k: tensor<3x3x6x2x!quant.uniform<i8:f32:3, {1.0, 1.0}>>) {
  // expected-error@+1 {{result must be quantized along its feature dimension}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x6x!quant.uniform<i8:f32, 1.0:0>>, tensor<3x3x6x2x!quant.uniform<i8:f32:3, {1.0, 1.0}>>) -> tensor<4x7x7x2x!quant.uniform<i32:f32:1, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>
  return
}
