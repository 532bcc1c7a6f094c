// reduce: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%a: tensor<2x3xf32>, %i: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<2x3xi32>, %f: tensor<f32>, %g: tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{[^ ,:)]+}} init: %{{[^ ,:)]+}}) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %r0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: stablehlo.reduce(%{{[^ ,:)]+}} init: %{{[^ ,:)]+}}), (%{{[^ ,:)]+}} init: %{{[^ ,:)]+}}) across dimensions = [0] {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  // CHECK-NEXT: reducer(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>) (%{{[^ ,:)]+}}: tensor<i32>, %{{[^ ,:)]+}}: tensor<i32>) {
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>, tensor<i32>
  // CHECK-NEXT: }
  %r1:2 = stablehlo.reduce(%b init: %f), (%c init: %g) across dimensions = [0] {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %t: tensor<i32>) {
    stablehlo.return %p, %q : tensor<f32>, tensor<i32>
  }
  return
}

// -----

func.func @reduce_c1(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{inputs must have shape [2, 3], got [3, 2]}}
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %i) across dimensions = [0] : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<f32>, %t: tensor<f32>) {
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @reduce_c2(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c4(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'dimensions' must be within [0, 2) and not repeat}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c5(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{'dimensions' must be within [0, 2) and not repeat}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c6(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{must return scalars that 'f32' can be promoted to}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %s = stablehlo.subtract %x, %y : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c7(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{results must have shape [2], got [3]}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c8(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{element type of the result must be that of region 'body', 'f64'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.subtract %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_applies(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected a commutative stablehlo operation}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.divide across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// Upstream allows bodies on tensors of the remaining dimensions; the specification, and the programs that run, have scalars.
// CHECK-LABEL: func.func @reduce_with_a_body_of_tensors(
func.func @reduce_with_a_body_of_tensors(%a: tensor<4x5xf32>, %i: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: stablehlo.reduce
  %0 = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<5xf32>, %y: tensor<5xf32>):
    %1 = stablehlo.add %x, %y : tensor<5xf32>
    stablehlo.return %1 : tensor<5xf32>
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @reduce_c3(%a: tensor<4x5xf32>, %i: tensor<4xf32>) {
  // expected-error@+1 {{init values must have shape [], got [4]}}
  %0 = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %1 = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
