// if: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @if(
func.func @if(%p: tensor<i1>, %a: tensor<f32>) {
  // CHECK: "stablehlo.if"(%{{[^ ,:)]+}}) ({
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }, {
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
  // CHECK-NEXT: }) : (tensor<i1>) -> tensor<f32>
  %r0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c1(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{arguments of region 'true_branch' must have 0 values, got 1}}
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c2(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{results of region 'true_branch'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %p : tensor<i1>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c3(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{results of region 'true_branch'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @if_i1(%p: tensor<2xi1>, %a: tensor<f32>) {
  // expected-error@+1 {{'pred' must have rank 0}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2xi1>) -> tensor<f32>
  return
}
