// sdy.sharding_constraint does not change the value; sdy.manual_computation runs its body on every device of the mesh.
// RUN: assay test %s
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @sharding_constraint_is_the_value() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
  func.return
}

// Rows are cut over x, columns over y; the numbers of the devices are those of their places in the mesh.
func.func @manual_computation_parts() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%p: tensor<1x2xi32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %m = stablehlo.multiply %n, %ten : tensor<i32>
    %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<i32>) -> tensor<1x2xi32>
    %r = stablehlo.add %p, %b : tensor<1x2xi32>
    sdy.return %r : tensor<1x2xi32>
  } : (tensor<2x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[1, 2, 13, 14], [25, 26, 37, 38]]> : tensor<2x4xi32>
  func.return
}

// Groups along the axes of a mesh: x, then both, y before x.
func.func @groups_along_axes() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%p: tensor<1xi32>) {
    %s = "stablehlo.all_reduce"(%p) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %r = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<1xi32>) -> tensor<1xi32>
    %g = "stablehlo.all_gather"(%p) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>,
                                                            axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>} : (tensor<1xi32>) -> tensor<4xi32>
    sdy.return %s, %g : tensor<1xi32>, tensor<4xi32>
  } : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[4, 6, 4, 6]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<[1, 3, 2, 4]> : tensor<4xi32>
  func.return
}

// A mesh that names its devices in another order, written inside the shardings.
func.func @devices_in_another_order() {
  %x = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %0 = sdy.manual_computation(%x) in_shardings=[<mesh<["z"=2], device_ids=[1, 0]>, [{"z"}]>] out_shardings=[<mesh<["z"=2], device_ids=[1, 0]>, [{"z"}]>] manual_axes={"z"} (%p: tensor<1xi32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %b = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %r = stablehlo.subtract %p, %b : tensor<1xi32>
    sdy.return %r : tensor<1xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[4, 6]> : tensor<2xi32>
  func.return
}
