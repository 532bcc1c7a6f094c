// while: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @while(
func.func @while(%a: tensor<i32>, %p: tensor<i1>) {
  // CHECK: stablehlo.while(%{{[^ ,:)]+}} = %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = %{{[^ ,:)]+}}) : tensor<i32>, tensor<i1>
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<i32>, tensor<i1>
  // CHECK-NEXT: }
  %r0:2 = stablehlo.while(%x = %a, %y = %p) : tensor<i32>, tensor<i1>
  cond {
    stablehlo.return %y : tensor<i1>
  } do {
    stablehlo.return %x, %y : tensor<i32>, tensor<i1>
  }
  return
}

// -----

func.func @while_c1(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{results of region 'cond'}}
  %0:2 = stablehlo.while(%x = %a, %y = %p) : tensor<i32>, tensor<i1>
  cond {
    stablehlo.return %x : tensor<i32>
  } do {
    stablehlo.return %x, %y : tensor<i32>, tensor<i1>
  }
  return
}

// -----

func.func @while_c2(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{results of region 'body'}}
  %0:2 = stablehlo.while(%x = %a, %y = %p) : tensor<i32>, tensor<i1>
  cond {
    stablehlo.return %y : tensor<i1>
  } do {
    stablehlo.return %y, %x : tensor<i1>, tensor<i32>
  }
  return
}

// -----

func.func @while_c3(%a: tensor<i32>) {
  // expected-error@+1 {{results of region 'body'}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  return
}
