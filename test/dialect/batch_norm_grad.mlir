// batch_norm_grad: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @batch_norm_grad(
func.func @batch_norm_grad(%a: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // CHECK: "stablehlo.batch_norm_grad"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %r0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_c1(%a: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{'feature_index' must be within [0, 2), got 2}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_c2(%a: tensor<2x3xf32>, %s: tensor<3xf64>) {
  // expected-error@+1 {{must have one element type}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_c5(%a: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{values per feature must have shape [3], got [2]}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_c3(%a: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{operands and result must have shape [2, 3], got [3, 3]}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
