// cholesky: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @cholesky(
func.func @cholesky(%a: tensor<5x2x2xf32>, %b: tensor<2x2xcomplex<f64>>) {
  // CHECK: stablehlo.cholesky %{{[^ ,:)]+}}, lower = true : tensor<5x2x2xf32>
  %r0 = stablehlo.cholesky %a, lower = true : tensor<5x2x2xf32>
  // CHECK: stablehlo.cholesky %{{[^ ,:)]+}} : tensor<2x2xcomplex<f64>>
  %r1 = stablehlo.cholesky %b : tensor<2x2xcomplex<f64>>
  return
}

// -----

func.func @cholesky_c1(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{same shape and element type}}
  %0 = stablehlo.cholesky %a : (tensor<2x2xf32>) -> tensor<2x2xf64>
  return
}

// -----

func.func @cholesky_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{must have rank 2 or more}}
  %0 = stablehlo.cholesky %a : tensor<2xf32>
  return
}

// -----

func.func @cholesky_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{last two dimensions must be equal, got 2 and 3}}
  %0 = stablehlo.cholesky %a : tensor<2x3xf32>
  return
}
