// outfeed: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @outfeed(
func.func @outfeed(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  // CHECK: "stablehlo.outfeed"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{outfeed_config = "c"}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %r0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = "c"}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @outfeed_i2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must be token}}
  %0 = "stablehlo.outfeed"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !stablehlo.token
  return
}
