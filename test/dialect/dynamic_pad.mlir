// dynamic_pad: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_pad(
func.func @dynamic_pad(%a: tensor<?xf32>, %v: tensor<f32>, %s: tensor<1xi64>) {
  // CHECK: stablehlo.dynamic_pad %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %r0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c1(%a: tensor<?xf32>, %v: tensor<i32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{must have one element type}}
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<?xf32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c2(%a: tensor<?xf32>, %v: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'edge_padding_low' must have 1 elements, got 2}}
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<?xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c3(%a: tensor<4xf32>, %v: tensor<f32>, %p: tensor<1xi32>) {
  %interior = stablehlo.constant dense<-1> : tensor<1xi32>
  // expected-error@+1 {{'interior_padding' must not be negative, got -1}}
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %interior : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c4(%a: tensor<4xf32>, %v: tensor<f32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{result must have shape [9], got [4]}}
  %0 = stablehlo.dynamic_pad %a, %v, %one, %one, %one : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return
}
