// Operations of shape, with which CHLO's lowering and TensorFlow's exporter compute shapes.
// RUN: assay test %s

func.func private @add(%a: tensor<?x1xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = shape.shape_of %a : tensor<?x1xf32> -> tensor<2xindex>
  %1 = shape.shape_of %b : tensor<?xf32> -> tensor<1xindex>
  %w = shape.cstr_broadcastable %0, %1 : tensor<2xindex>, tensor<1xindex>
  %2 = shape.assuming %w -> (tensor<?x?xf32>) {
    %3 = shape.broadcast %0, %1 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %4 = stablehlo.dynamic_broadcast_in_dim %a, %3, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %5 = stablehlo.dynamic_broadcast_in_dim %b, %3, dims = [1] : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %6 = stablehlo.add %4, %5 : tensor<?x?xf32>
    shape.assuming_yield %6 : tensor<?x?xf32>
  }
  return %2 : tensor<?x?xf32>
}

func.func @broadcast_of_run_time_shapes() {
  %a = stablehlo.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = tensor.cast %a : tensor<2x1xf32> to tensor<?x1xf32>
  %1 = tensor.cast %b : tensor<3xf32> to tensor<?xf32>
  %2 = call @add(%0, %1) : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %3 = tensor.cast %2 : tensor<?x?xf32> to tensor<2x3xf32>
  check.expect_eq_const %3, dense<[[11.0, 12.0, 13.0], [21.0, 22.0, 23.0]]> : tensor<2x3xf32>
  return
}

func.func @extents() {
  %s = shape.const_shape [4, 5, 6] : tensor<3xindex>
  %c2 = arith.constant 2 : index
  %0 = shape.get_extent %s, %c2 : tensor<3xindex>, index -> index
  %1 = shape.num_elements %s : tensor<3xindex> -> index
  %2 = shape.rank %s : tensor<3xindex> -> index
  %all = tensor.from_elements %0, %1, %2 : tensor<3xindex>
  %wide = arith.index_cast %all : tensor<3xindex> to tensor<3xi64>
  check.expect_eq_const %wide, dense<[6, 120, 3]> : tensor<3xi64>
  return
}

func.func @shapes_put_together() {
  %a = shape.const_shape [4, 5] : !shape.shape
  %n = arith.constant 7 : index
  %b = shape.from_extents %n : index
  %c = shape.concat %a, %b : !shape.shape, !shape.shape -> !shape.shape
  %t = shape.to_extent_tensor %c : !shape.shape -> tensor<3xindex>
  %wide = arith.index_cast %t : tensor<3xindex> to tensor<3xi64>
  check.expect_eq_const %wide, dense<[4, 5, 7]> : tensor<3xi64>
  return
}

func.func @what_broadcasts() {
  %a = shape.const_shape [4, 1, 5] : tensor<3xindex>
  %b = shape.const_shape [7, 5] : tensor<2xindex>
  %c = shape.const_shape [7, 4] : tensor<2xindex>
  %0 = shape.is_broadcastable %a, %b : tensor<3xindex>, tensor<2xindex>
  %1 = shape.is_broadcastable %a, %c : tensor<3xindex>, tensor<2xindex>
  %2 = shape.shape_eq %b, %b : tensor<2xindex>, tensor<2xindex>
  %3 = shape.shape_eq %b, %c : tensor<2xindex>, tensor<2xindex>
  %all = tensor.from_elements %0, %1, %2, %3 : tensor<4xi1>
  check.expect_eq_const %all, dense<[true, false, true, false]> : tensor<4xi1>
  return
}
