// sort: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sort(
func.func @sort(%a: tensor<4xf32>) {
  // CHECK: "stablehlo.sort"(%{{[^ ,:)]+}}) <{dimension = 0 : i64, is_stable = true}> ({
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
  // CHECK-NEXT: %{{[^ ,:)]+}} = stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
  // CHECK-NEXT: }) : (tensor<4xf32>) -> tensor<4xf32>
  %r0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c1() {
  // expected-error@+1 {{needs at least one input}}
  "stablehlo.sort"() ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @sort_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @sort_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{results must have shape [4]}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @sort_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{'dimension' must be within [-1, 1), got 1}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{arguments of region 'comparator'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c5_result(%a: tensor<4xf32>) {
  // expected-error@+1 {{results of region 'comparator'}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
