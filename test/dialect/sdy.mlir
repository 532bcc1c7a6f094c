// sdy: shardings are kept as text, in both forms.
// RUN: assay-opt %s | FileCheck %s
// RUN: assay-opt --mlir-print-op-generic %s | assay-opt | FileCheck %s

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x4xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings =[<@mesh, [{"x"}, {}]>] out_shardings =[<@mesh, [{"x"}, {}]>] manual_axes ={"x"}
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
    // CHECK: sdy.return %{{.*}} : tensor<4x4xf32>
    sdy.return %arg1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id =7 : tensor<8x4xf32>
  sdy.sharding_group %1 group_id=7 : tensor<8x4xf32>
  // CHECK: #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=6, j=6, k=6, l=6}, custom>
  %2 = stablehlo.custom_call @f(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=6, j=6, k=6, l=6}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
