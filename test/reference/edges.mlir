// RUN: assay test %s
// Edge cases: slices that overhang, indices outside, NaN and signs of zero, whole ranges of types.

func.func @inverse_of_two_dimensions_is_scaled_by_both() {
  %x = stablehlo.constant dense<[[(4.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.fft %x, type = IFFT, length = [2, 2] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %0, dense<(1.0, 0.0)> : tensor<2x2xcomplex<f32>>
  func.return
}

// NumPy: irfft([1, 0, 5j]) is [0.25, 0.25, 0.25, 0.25]
func.func @the_middle_of_a_real_transform_is_real() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0), (0.0, 5.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.fft %x, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<0.25> : tensor<4xf32>
  func.return
}

func.func @slices_of_two_are_moved_inside() {
  %operand = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %start = stablehlo.constant dense<[[4], [9], [-3]]> : tensor<3x1xi64>
  %0 = "stablehlo.gather"(%operand, %start) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>, indices_are_sorted = false} : (tensor<5xi32>, tensor<3x1xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[3, 4], [3, 4], [0, 1]]> : tensor<3x2xi32>
  func.return
}

func.func @batches_behind_the_index_vector() {
  %operand = stablehlo.constant dense<[[10, 11, 12], [20, 21, 22]]> : tensor<2x3xi32>
  %start = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi32>
  %0 = "stablehlo.gather"(%operand, %start) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false} : (tensor<2x3xi32>, tensor<1x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[12, 20]> : tensor<2xi32>
  func.return
}

func.func @selected_indices_are_clamped() {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %index = stablehlo.constant dense<[-7, 9]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%operand, %index) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>
  func.return
}

func.func @reductions_of_whole_ranges() {
  %least = stablehlo.constant dense<0> : tensor<ui64>
  %large = stablehlo.constant dense<[9223372036854775809, 5]> : tensor<2xui64>
  %0 = stablehlo.reduce(%large init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<2xui64>, tensor<ui64>) -> tensor<ui64>
  check.expect_eq_const %0, dense<9223372036854775809> : tensor<ui64>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %both = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %1 = stablehlo.reduce(%both init: %no) applies stablehlo.add across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %1, dense<true> : tensor<i1>
  func.return
}

func.func @nan_wins_in_any_order() {
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %x = stablehlo.constant dense<[[0x7FC00000, 1.0, 2.0], [1.0, 0x7FC00000, 2.0], [1.0, 2.0, 0x7FC00000]]> : tensor<3x3xf32>
  %0 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.compare NE, %0, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %1, dense<true> : tensor<3xi1>
  func.return
}

func.func @the_maximum_of_zeros_is_positive() {
  %low = stablehlo.constant dense<-0.0> : tensor<f32>
  %x = stablehlo.constant dense<[[-0.0, 0.0], [0.0, -0.0]]> : tensor<2x2xf32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.divide %one, %0 : tensor<2xf32>
  check.expect_eq_const %1, dense<0x7F800000> : tensor<2xf32>
  func.return
}

func.func @the_square_of_i_is_negative() {
  %x = stablehlo.constant dense<[[(1.0, 2.0), (0.0, 1.0)]]> : tensor<1x2xcomplex<f32>>
  %y = stablehlo.constant dense<[[(3.0, 4.0)], [(0.0, 1.0)]]> : tensor<2x1xcomplex<f32>>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x2xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
  check.expect_eq_const %0, dense<(-6.0, 10.0)> : tensor<1x1xcomplex<f32>>
  func.return
}

func.func @columns_behind_the_first_512() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<4x1300xi32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x1300xi32>, tensor<i32>) -> tensor<1300xi32>
  check.expect_eq_const %0, dense<6> : tensor<1300xi32>
  func.return
}

// A body of two operations; the initial value is used once.
func.func @bodies_of_several_operations() {
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<1007xi32>
  %0 = stablehlo.reduce(%x init: %ten) across dimensions = [0] : (tensor<1007xi32>, tensor<i32>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %s = stablehlo.add %a, %b : tensor<i32>
    %p = stablehlo.multiply %s, %one : tensor<i32>
    stablehlo.return %p : tensor<i32>
  }
  check.expect_eq_const %0, dense<506531> : tensor<i32>
  func.return
}
