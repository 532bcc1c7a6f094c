// map: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @map(
func.func @map(%a: tensor<4xf32>) {
  // CHECK: "stablehlo.map"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimensions = array<i64: 0>}> ({
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
  // CHECK-NEXT: %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{inputs must have shape [5], got [4]}}
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @map_c2() {
  // expected-error@+1 {{needs at least one input}}
  %0 = "stablehlo.map"() <{dimensions = array<i64: 0>}> ({
    stablehlo.return
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @map_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{'dimensions' must be all 1 dimensions in order}}
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{arguments of region 'computation'}}
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
