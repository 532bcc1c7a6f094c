// async_start: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @async_start(
func.func @async_start(%a: tensor<2xf32>) {
  // CHECK: "stablehlo.async_start"(%{{[^ ,:)]+}}) ({
  // CHECK-NEXT: ^bb0(%{{[^ ,:)]+}}: tensor<2xf32>):
  // CHECK-NEXT: %{{[^ ,:)]+}} = stablehlo.slice %{{[^ ,:)]+}} [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  // CHECK-NEXT: stablehlo.return %{{[^ ,:)]+}} : tensor<1xf32>
  // CHECK-NEXT: }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  %r0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %s = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %s : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}

// -----

func.func @async_start_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{must hold one operation and stablehlo.return}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %t = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %s = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %s : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}

// -----

func.func @async_start_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{must hold a collective operation or a slice}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %s = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}

// -----

func.func @async_start_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{must be the arguments of region 'body'}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %s = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %s : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}

// -----

func.func @async_start_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{results of region 'body'}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %s = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %s : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<3xf32>>
  return
}

// -----

// expected-error@+1 {{a future holds tensors, got 'f32'}}
func.func private @future_type() -> !stablehlo.future<f32>
