// dot_general: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dot_general(
func.func @dot_general(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>, %c: tensor<2x4xi8>, %d: tensor<4x3xi8>, %e: tensor<2x4xf32>, %f: tensor<4x3xf32>, %g: tensor<2x4xf32>, %h: tensor<4x3xf32>) {
  // CHECK: stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  %r0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, contracting_dims = [1] x [0] : (tensor<2x4xi8>, tensor<4x3xi8>) -> tensor<2x3xi32>
  %r1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x4xi8>, tensor<4x3xi8>) -> tensor<2x3xi32>
  // CHECK: stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %r2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %r3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_general_c1(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{as many batching dimensions, got 1 and 0}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{as many contracting dimensions}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of lhs must be within [0, 3) and not repeat}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c4(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of rhs must be within [0, 3) and not repeat}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [0] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c5(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of lhs must be within}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [3] x [0], contracting_dims = [2] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c6(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of lhs must be within}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [-1] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c7(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of rhs must be within}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [3], contracting_dims = [2] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c8(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimensions of rhs must be within}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [3] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c9(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{dimension 1 of lhs and 2 of rhs must have one size, got 2 and 3}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [2], contracting_dims = [2] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c10(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{must have one size, got 2 and 4}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c11(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{must have at most 2 elements, got 3}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH, HIGH] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c12(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{result must have shape [5, 2, 3], got [5, 3, 2]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x3x2xf32>
  return
}

// -----

func.func @dot_general_c13(%a: tensor<2x4xcomplex<f32>>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{must all be complex or none}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4xcomplex<f32>>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_general_c14(%a: tensor<2x4x!quant.uniform<i8:f32, 1.0:0>>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{rhs must be quantized where another value is}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 1.0:0>>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_general_c15(%a: tensor<2x4x!quant.uniform<i8:f32, 1.0:0>>, %b: tensor<4x3x!quant.uniform<i8:f32, 1.0:7>>) {
  // expected-error@+1 {{rhs must have zero point 0}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i8:f32, 1.0:0>>, tensor<4x3x!quant.uniform<i8:f32, 1.0:7>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.0:0>>
  return
}

// -----

func.func @dot_general_c16(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0:0>>, %b: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{must not be quantized along a contracting dimension}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 1.0:0>>, tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.0:0>>
  return
}

// -----

func.func @dot_general_c17(%a: tensor<2x4x!quant.uniform<i4:f32, 1.0:0>>, %b: tensor<4x3x!quant.uniform<i8:f32, 1.0:0>>) {
  // expected-error@+1 {{must have one storage type}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4x!quant.uniform<i4:f32, 1.0:0>>, tensor<4x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.0:0>>
  return
}

// -----

func.func @dot_general_c20(%a: tensor<2x4xf16>, %b: tensor<4x3x!quant.uniform<i8:f32, 1.0:0>>) {
  // expected-error@+1 {{must have the expressed type of rhs}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4xf16>, tensor<4x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<2x3xf16>
  return
}

// -----

func.func @dot_general_c21(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{'precision_config' must be DEFAULT where an algorithm is given}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c22(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{counts of an algorithm must be positive}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c23(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{counts of an algorithm must be positive}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @dot_general_c24(%a: tensor<5x2x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{counts of an algorithm must be positive}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<5x2x4xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @an_algorithm_that_no_hardware_has(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{no hardware is known to have the algorithm}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
