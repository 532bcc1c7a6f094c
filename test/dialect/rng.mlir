// rng: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rng(
func.func @rng(%a: tensor<f32>, %s: tensor<2xi64>) {
  // CHECK: stablehlo.rng %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %r0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rng_c1(%a: tensor<f64>, %s: tensor<2xi64>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rng_c2(%a: tensor<i32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{distribution NORMAL needs floating-point numbers}}
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  return
}

// -----

func.func @rng_c3(%a: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'shape' must have 1 elements, got 2}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @rng_c3_constant(%a: tensor<f32>) {
  %shape = stablehlo.constant dense<7> : tensor<1xi64>
  // expected-error@+1 {{result must have the shape that the shape operand says, array<i64: 7>, got 'tensor<12xf32>'}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<12xf32>
  return
}
