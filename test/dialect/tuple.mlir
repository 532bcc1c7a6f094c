// tuple: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tuple(
func.func @tuple(%a: tensor<2x3xf32>, %i: tensor<2x3xi32>) {
  // CHECK: stablehlo.tuple %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tuple<tensor<2x3xf32>, tensor<2x3xi32>>
  %r0 = stablehlo.tuple %a, %i : tuple<tensor<2x3xf32>, tensor<2x3xi32>>
  return
}

// -----

func.func @tuple_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be a tuple of the operands' types}}
  %0 = "stablehlo.tuple"(%a) : (tensor<2x3xf32>) -> tuple<tensor<2x3xi32>>
  return
}
