// RUN: assay test %s
// RUN: assay test --engine native %s
// stablehlo.einsum (deprecated). Expected: NumPy's einsum on small integers, where every sum is exact.

func.func @product_f32() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 1.0], [3.0, 1.0, 2.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[2.0, -2.0], [-3.0, -1.0], [-2.0, 3.0]]> : tensor<3x2xf32>
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[1.0, -4.0], [-1.0, -1.0]]> : tensor<2x2xf32>
  func.return
}

func.func @result_transposed_i32() {
  %a = stablehlo.constant dense<[[3, -3, 0], [2, -3, 2]]> : tensor<2x3xi32>
  %b = stablehlo.constant dense<[[-3, 0], [2, -1], [-1, -2]]> : tensor<3x2xi32>
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ca" : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[-15, -14], [3, -1]]> : tensor<2x2xi32>
  func.return
}

func.func @batch_f64() {
  %a = stablehlo.constant dense<[[[2.0, -2.0]], [[3.0, 0.0]]]> : tensor<2x1x2xf64>
  %b = stablehlo.constant dense<[[[0.0, 0.0], [1.0, 0.0]], [[0.0, 3.0], [2.0, 2.0]]]> : tensor<2x2x2xf64>
  %0 = stablehlo.einsum %a, %b, config = "...ab,...bc->...ac" : (tensor<2x1x2xf64>, tensor<2x2x2xf64>) -> tensor<2x1x2xf64>
  check.expect_eq_const %0, dense<[[[-2.0, 0.0]], [[0.0, 9.0]]]> : tensor<2x1x2xf64>
  func.return
}

func.func @ellipsis_spreads_a_size_of_one() {
  %a = stablehlo.constant dense<[[[1.0, 1.0], [-1.0, 3.0]]]> : tensor<1x2x2xf32>
  %b = stablehlo.constant dense<[[[0.0], [-2.0]], [[2.0], [-2.0]]]> : tensor<2x2x1xf32>
  %0 = stablehlo.einsum %a, %b, config = "...ab,...bc->...ac" : (tensor<1x2x2xf32>, tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  check.expect_eq_const %0, dense<[[[-2.0], [-6.0]], [[0.0], [-8.0]]]> : tensor<2x2x1xf32>
  func.return
}

func.func @ellipses_of_different_ranks() {
  %a = stablehlo.constant dense<[[3, 1], [-3, -3]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[[0], [-3]]> : tensor<2x1xi32>
  %0 = stablehlo.einsum %a, %b, config = "...ab,bc...->...ac" : (tensor<2x2xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %0, dense<[[-3], [9]]> : tensor<2x1xi32>
  func.return
}

func.func @diagonal_of_a_repeated_label() {
  %a = stablehlo.constant dense<[[[-3, 0], [3, 0]], [[2, 3], [2, 1]]]> : tensor<2x2x2xi32>
  %b = stablehlo.constant dense<[[0, 0], [-2, 0]]> : tensor<2x2xi32>
  %0 = stablehlo.einsum %a, %b, config = "aab,bc->ac" : (tensor<2x2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[0, 0], [-2, 0]]> : tensor<2x2xi32>
  func.return
}

func.func @labels_of_one_operand_alone_are_summed() {
  %a = stablehlo.constant dense<[[-1.0, -2.0], [3.0, -3.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[-3.0, -2.0, 3.0], [1.0, 3.0, -2.0]]> : tensor<2x3xf32>
  %0 = stablehlo.einsum %a, %b, config = "ab,cd->d" : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[6.0, -3.0, -3.0]> : tensor<3xf32>
  func.return
}

func.func @narrow_sums_are_rounded_once() {
  %a = stablehlo.constant dense<[[2.0, -1.0], [0.0, -3.0]]> : tensor<2x2xbf16>
  %b = stablehlo.constant dense<[[1.0, 2.0, 1.0], [-2.0, 0.0, -2.0]]> : tensor<2x3xbf16>
  %0 = stablehlo.einsum %a, %b, config = "ab,cd->d" : (tensor<2x2xbf16>, tensor<2x3xbf16>) -> tensor<3xbf16>
  check.expect_eq_const %0, dense<[2.0, -4.0, 2.0]> : tensor<3xbf16>
  func.return
}

func.func @everything_is_summed() {
  %a = stablehlo.constant dense<[[(3.0, 1.0), (3.0, 1.0), (-2.0, -3.0)], [(0.0, 2.0), (3.0, 0.0), (2.0, -3.0)]]> : tensor<2x3xcomplex<f32>>
  %b = stablehlo.constant dense<[[(-2.0, 1.0), (0.0, -1.0), (2.0, 1.0)], [(0.0, 1.0), (1.0, -3.0), (3.0, -3.0)]]> : tensor<2x3xcomplex<f32>>
  %0 = stablehlo.einsum %a, %b, config = "ab,ab->" : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<complex<f32>>
  check.expect_eq_const %0, dense<(-9.0, -34.0)> : tensor<complex<f32>>
  func.return
}

func.func @outer_product_ui8() {
  %a = stablehlo.constant dense<[3, 2]> : tensor<2xui8>
  %b = stablehlo.constant dense<[3, 1, 1]> : tensor<3xui8>
  %0 = stablehlo.einsum %a, %b, config = "a,b->ba" : (tensor<2xui8>, tensor<3xui8>) -> tensor<3x2xui8>
  check.expect_eq_const %0, dense<[[9, 6], [3, 2], [3, 2]]> : tensor<3x2xui8>
  func.return
}

func.func @elementwise_product() {
  %a = stablehlo.constant dense<[[-2, -1, 2], [-1, -1, 1]]> : tensor<2x3xi32>
  %b = stablehlo.constant dense<[[3, -1, 1], [0, 1, 0]]> : tensor<2x3xi32>
  %0 = stablehlo.einsum %a, %b, config = "ab,ab->ba" : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[-6, 0], [1, -1], [2, 0]]> : tensor<3x2xi32>
  func.return
}

func.func @predicates() {
  %a = stablehlo.constant dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>
  %b = stablehlo.constant dense<[[true, false], [true, false], [true, true]]> : tensor<3x2xi1>
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xi1>, tensor<3x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %0, dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  func.return
}

func.func @wider_result() {
  %a = stablehlo.constant dense<[[1, 0], [-3, 2], [2, 0]]> : tensor<3x2xi8>
  %b = stablehlo.constant dense<[3, 1, 3, 3]> : tensor<4xi8>
  %0 = stablehlo.einsum %a, %b, config = "ab,c->b" : (tensor<3x2xi8>, tensor<4xi8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[0, 20]> : tensor<2xi32>
  func.return
}

func.func @nothing_to_sum() {
  %a = stablehlo.constant dense<> : tensor<2x0xf32>
  %b = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[0.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
  func.return
}

func.func @empty_result() {
  %a = stablehlo.constant dense<> : tensor<0x2xi32>
  %b = stablehlo.constant dense<[[0, -2, -2], [0, -2, 2]]> : tensor<2x3xi32>
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<0x2xi32>, tensor<2x3xi32>) -> tensor<0x3xi32>
  check.expect_eq_const %0, dense<> : tensor<0x3xi32>
  func.return
}

func.func @rank_0() {
  %a = stablehlo.constant dense<3.0> : tensor<f32>
  %b = stablehlo.constant dense<-2.0> : tensor<f32>
  %0 = stablehlo.einsum %a, %b, config = ",->" : (tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %0, dense<-6.0> : tensor<f32>
  func.return
}
