// all_gather: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

func.func private @m()

// CHECK-LABEL: func.func @all_gather(
func.func @all_gather(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // CHECK: "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %r0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<2x3xf32>) -> tensor<2x12xf32>
  %r1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<2x3xf32>) -> tensor<2x12xf32>
  return
}

// -----

func.func @all_gather_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'all_gather_dim' must be within [0, 2)}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @all_gather_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat a number}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @all_gather_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'replica_groups' must be within [0, 2), got 5}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @all_gather_c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{needs a channel with a positive handle}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @all_gather_c6(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{times the size of a group, got 9}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @all_gather_c4_ragged(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{'replica_groups' must be within [0, 8), got -1}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, -1]]> : tensor<2x4xi64>}> : (tensor<8x2xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @all_gather_mesh(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'replica_groups' names the mesh 'gone', which does not exist}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @gone, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}
