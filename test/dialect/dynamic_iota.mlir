// dynamic_iota: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dynamic_iota(
func.func @dynamic_iota(%s: tensor<2xi64>) {
  // CHECK: stablehlo.dynamic_iota %{{[^ ,:)]+}}, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
  %r0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_iota_c1(%s: tensor<2xi64>) {
  // expected-error@+1 {{must be within [0, 2)}}
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_iota_c2(%s: tensor<3xi64>) {
  // expected-error@+1 {{'output_shape' must have 2 elements, got 3}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @a_negative_size() {
  %s = stablehlo.constant dense<[-1]> : tensor<1xi64>
  // expected-error@+1 {{result must have the shape that the shape operand says, array<i64: -1>, got 'tensor<?xf32>'}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  return
}
