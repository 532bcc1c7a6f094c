// RUN: assay test %s

// The carried tensor of a loop grows: its type has `?`, each iteration another size.
func.func @a_loop_whose_shape_changes() {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %row = stablehlo.constant dense<1> : tensor<1xi32>
  %size = stablehlo.constant dense<1> : tensor<1xi32>
  %start = stablehlo.dynamic_reshape %row, %size : (tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %count, %grown = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<?xi32>
  cond {
    %more = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %last = stablehlo.reshape %sum : (tensor<i32>) -> tensor<1xi32>
    %y = stablehlo.concatenate %x, %last, dim = 0 : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
    stablehlo.return %next, %y : tensor<i32>, tensor<?xi32>
  }
  %grown_now = stablehlo.reshape %grown : (tensor<?xi32>) -> tensor<5xi32>
  check.expect_eq_const %grown_now, dense<[1, 1, 2, 4, 8]> : tensor<5xi32>
  %length = stablehlo.get_dimension_size %grown, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  check.expect_eq_const %length, dense<5> : tensor<i32>
  func.return
}

// The sizes are data: how many numbers are positive.
func.func @a_shape_that_depends_on_values() {
  %x = stablehlo.constant dense<[3, -1, 4, -1, 5]> : tensor<5xi32>
  %zeros = stablehlo.constant dense<0> : tensor<5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %positive = stablehlo.compare GT, %x, %zeros, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  %ones = stablehlo.convert %positive : (tensor<5xi1>) -> tensor<5xi32>
  %count = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  %shape = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
  %iota = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %twice = stablehlo.add %iota, %iota : tensor<?xi32>
  %twice_now = stablehlo.reshape %twice : (tensor<?xi32>) -> tensor<3xi32>
  check.expect_eq_const %twice_now, dense<[0, 2, 4]> : tensor<3xi32>
  func.return
}

func.func @windows_and_products() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %d = stablehlo.dynamic_reshape %x, %sizes : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = stablehlo.dot_general %d, %t, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %p_now = stablehlo.reshape %p : (tensor<?x?xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %p_now, dense<[[5.0, 11.0, 17.0], [11.0, 25.0, 39.0], [17.0, 39.0, 61.0]]> : tensor<3x3xf32>
  %infinity = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %w = "stablehlo.reduce_window"(%p, %infinity) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %w_now = stablehlo.reshape %w : (tensor<?x?xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %w_now, dense<[[25.0, 39.0], [39.0, 61.0]]> : tensor<2x2xf32>
  func.return
}

// One operation whose sizes, which are data, differ in each iteration: none may be reused from the previous iteration.
func.func @sizes_that_are_data_in_every_turn() {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<1xi32>
  %row = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %count, %a, %b, %c, %d = stablehlo.while(%i = %zero, %iotas = %zero, %spread = %zero, %padded = %zero, %parts = %zero) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %more = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %size = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %iota = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    %x = stablehlo.reduce(%iota init: %iotas) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %twos = stablehlo.dynamic_broadcast_in_dim %two, %size, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %y = stablehlo.reduce(%twos init: %spread) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %long = stablehlo.dynamic_pad %row, %one, %size, %zeros, %zeros : (tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %z = stablehlo.reduce(%long init: %padded) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %part = stablehlo.real_dynamic_slice %row, %zeros, %size, %ones : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %w = stablehlo.reduce(%part init: %parts) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %x, %y, %z, %w : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  // 0 to 3 numbers: sums of 0, 0, 1 and 3; twos; 100 and the same number of ones; 0, 10, 30 and 60.
  check.expect_eq_const %a, dense<4> : tensor<i32>
  check.expect_eq_const %b, dense<12> : tensor<i32>
  check.expect_eq_const %c, dense<406> : tensor<i32>
  check.expect_eq_const %d, dense<100> : tensor<i32>
  func.return
}
