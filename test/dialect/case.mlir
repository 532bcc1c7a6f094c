// case: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @case(
func.func @case(%i: tensor<i32>, %a: tensor<f32>) {
  // CHECK: "stablehlo.case"(%{{[^ ,:)]+}}) ({
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }, {
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }) : (tensor<i32>) -> tensor<f32>
  %r0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @case_c1(%i: tensor<i32>) {
  // expected-error@+1 {{needs at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case_c2(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error@+1 {{arguments of region 'branch 0' must have 0 values}}
  %0 = "stablehlo.case"(%i) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @case_c4(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error@+1 {{results of region 'branch 0'}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @case_i1(%i: tensor<i64>, %a: tensor<f32>) {
  // expected-error@+1 {{0-dimensional tensor of i32}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i64>) -> tensor<f32>
  return
}
