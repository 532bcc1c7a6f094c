// RUN: assay test %s

func.func @scatter_add_repeated_indices_and_out_of_bounds_dropped() {
  %input = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %indices = stablehlo.constant dense<[[1], [1], [5], [0]]> : tensor<4x1xi64>
  %updates = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = "stablehlo.scatter"(%input, %indices, %updates) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<3xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[14, 23, 30]> : tensor<3xi32>
  func.return
}

func.func @scatter_two_on_one_operand_do_not_see_each_other() {
  %input = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %index = stablehlo.constant dense<[[0]]> : tensor<1x1xi32>
  %update = stablehlo.constant dense<[5]> : tensor<1xi32>
  %first = "stablehlo.scatter"(%input, %index, %update) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<2xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %second = "stablehlo.scatter"(%input, %index, %update) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<2xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<2xi32>
  check.expect_eq_const %first, dense<[5, 2]> : tensor<2xi32>
  check.expect_eq_const %second, dense<[6, 2]> : tensor<2xi32>
  check.expect_eq_const %input, dense<[1, 2]> : tensor<2xi32>
  func.return
}

func.func @scatter_updates_of_one_element_keep_their_order() {
  %input = stablehlo.constant dense<[0]> : tensor<1xi32>
  %indices = stablehlo.constant dense<0> : tensor<3x1xi32>
  %updates = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %result = "stablehlo.scatter"(%input, %indices, %updates) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %shifted = stablehlo.multiply %a, %ten : tensor<i32>
    %sum = stablehlo.add %shifted, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<1xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<1xi32>
  check.expect_eq_const %result, dense<[123]> : tensor<1xi32>
  func.return
}

// Rows 1 and 2 of the window for start 1, of which only row 1 is inside: the specification drops elements, not windows.
func.func @scatter_window_partly_outside_keeps_the_elements_inside() {
  %input = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %indices = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %updates = stablehlo.constant dense<[[[10, 20], [30, 40]], [[100, 200], [300, 400]]]> : tensor<2x2x2xi32>
  %result = "stablehlo.scatter"(%input, %indices, %updates) ({
  ^bb0(%old: tensor<i32>, %update: tensor<i32>):
    %sum = stablehlo.add %old, %update : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<2x2xi32>, tensor<2xi64>, tensor<2x2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[301, 402], [13, 24]]> : tensor<2x2xi32>
  func.return
}
