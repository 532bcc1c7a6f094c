// sdy.manual_computation that is expanded into other operations: one inside another, values that are still to be summed over axes.
// RUN: assay test %s
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func private @half(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%b: tensor<2x2xf32>) {
    %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %2 = stablehlo.add %1, %w : tensor<2x2xf32>
    sdy.return %2 : tensor<2x2xf32>
  } : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}
// One inside another, and in a function that is called there: it runs in the existing processes, whose numbers are those of all devices.
func.func @one_inside_another() {
  %a = stablehlo.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]> : tensor<4x4xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x4xf32>) {
    %1 = func.call @half(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  check.expect_eq_const %0, dense<[[2.0, 4.0, 3.0, 5.0], [10.0, 12.0, 11.0, 13.0], [20.0, 22.0, 21.0, 23.0], [28.0, 30.0, 29.0, 31.0]]> : tensor<4x4xf32>
  func.return
}
// The first of the devices along the axis has the value, the others zeros.
func.func @still_to_be_summed() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}], unreduced={"y", "x"}>] manual_axes={"x", "y"} (%b: tensor<2xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<2xf32>
    %1 = stablehlo.add %b, %one : tensor<2xf32>
    sdy.return %1, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  check.expect_eq_const %0#0, dense<[2.0, 3.0, 1.0, 1.0]> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<[6.0, 8.0]> : tensor<2xf32>
  func.return
}
// A token is passed to every device, and all return it.
func.func @token() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] manual_axes={"x", "y"} (%u: !stablehlo.token, %b: tensor<1xf32>) {
    %1 = stablehlo.add %b, %b : tensor<1xf32>
    %2 = stablehlo.after_all %u : !stablehlo.token
    sdy.return %2, %1 : !stablehlo.token, tensor<1xf32>
  } : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
  %3 = stablehlo.after_all %0#0 : !stablehlo.token
  check.expect_eq_const %0#1, dense<[2.0, 4.0]> : tensor<2xf32>
  func.return
}
