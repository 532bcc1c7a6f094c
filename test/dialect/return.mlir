// return: the syntax in both forms.
// RUN: assay-opt %s | FileCheck %s
// RUN: assay-opt --mlir-print-op-generic %s | assay-opt | FileCheck %s

// CHECK-LABEL: func.func @return(
func.func @return(%p: tensor<i1>, %a: tensor<2xf32>) {
  // CHECK: stablehlo.return %{{[^ ]+}} : tensor<2xf32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  // CHECK: stablehlo.return{{ *$}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}
