// reduce_precision: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reduce_precision(
func.func @reduce_precision(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.reduce_precision %{{[^ ,:)]+}}, format = e5m10 : tensor<2x3xf32>
  %r0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_precision_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape and element type}}
  %0 = stablehlo.reduce_precision %a, format = e5m10 : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @reduce_precision_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'exponent_bits' must be at least 1}}
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_precision_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'mantissa_bits' must not be negative}}
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_precision_i2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expected valid keyword}}
  %0 = stablehlo.reduce_precision %a, format = 5x10 : tensor<2x3xf32>
  return
}
