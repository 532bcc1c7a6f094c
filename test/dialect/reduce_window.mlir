// reduce_window: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reduce_window(
func.func @reduce_window(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // CHECK: "stablehlo.reduce_window"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{base_dilations = array<i64: 1, 2>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
  // CHECK-NEXT: %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
  %r0 = "stablehlo.reduce_window"(%a, %i) <{base_dilations = array<i64: 1, 2>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduce_window_c3(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c4(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' must have 2 elements, got 1}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c5(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c6(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_strides' must have 2 elements}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c7(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_strides' must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c8(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' must have 2 elements}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, base_dilations = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c9(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, base_dilations = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c10(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' must have 2 elements}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_dilations = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c11(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, window_dilations = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c12(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'padding' must have shape [2, 2], got [1, 2]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c13(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{must return scalars that 'f32' can be promoted to}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_window_c15(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{results must have shape [2, 2], got [2, 3]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_window_c16(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{element type of the result must be}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}
