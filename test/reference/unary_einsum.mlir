// RUN: assay test %s
// RUN: assay test --engine native %s
// stablehlo.unary_einsum (deprecated). Expected: NumPy's einsum on small integers, where every sum is exact.

func.func @transpose() {
  %a = stablehlo.constant dense<[[[0, -3, -2]], [[-1, 3, 3]]]> : tensor<2x1x3xi32>
  %0 = stablehlo.unary_einsum %a, config = "abc->cab" : (tensor<2x1x3xi32>) -> tensor<3x2x1xi32>
  check.expect_eq_const %0, dense<[[[0], [-1]], [[-3], [3]], [[-2], [3]]]> : tensor<3x2x1xi32>
  func.return
}

func.func @sum() {
  %a = stablehlo.constant dense<[[1.0, 1.0, 0.0], [-3.0, -1.0, 3.0]]> : tensor<2x3xf32>
  %0 = stablehlo.unary_einsum %a, config = "ab->" : (tensor<2x3xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<1.0> : tensor<f32>
  func.return
}

func.func @sum_of_rows() {
  %a = stablehlo.constant dense<[[-1.0, -2.0, -2.0], [1.0, -3.0, 3.0]]> : tensor<2x3xbf16>
  %0 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xbf16>) -> tensor<2xbf16>
  check.expect_eq_const %0, dense<[-5.0, 1.0]> : tensor<2xbf16>
  func.return
}

func.func @trace() {
  %a = stablehlo.constant dense<[[3, 0, 0], [2, 0, 0], [-1, 0, 2]]> : tensor<3x3xi32>
  %0 = stablehlo.unary_einsum %a, config = "aa->" : (tensor<3x3xi32>) -> tensor<i32>
  check.expect_eq_const %0, dense<5> : tensor<i32>
  func.return
}

func.func @diagonal() {
  %a = stablehlo.constant dense<[[[-3.0, -3.0, 2.0], [-1.0, 2.0, -3.0]], [[3.0, -3.0, -1.0], [3.0, -3.0, 1.0]]]> : tensor<2x2x3xf64>
  %0 = stablehlo.unary_einsum %a, config = "aab->ba" : (tensor<2x2x3xf64>) -> tensor<3x2xf64>
  check.expect_eq_const %0, dense<[[-3.0, 3.0], [-3.0, -3.0], [2.0, 1.0]]> : tensor<3x2xf64>
  func.return
}

func.func @two_diagonals() {
  %a = stablehlo.constant dense<[[[[(2.0, 0.0), (-1.0, 2.0)], [(-3.0, 2.0), (0.0, 3.0)]], [[(0.0, 3.0), (3.0, -2.0)], [(1.0, -1.0), (-1.0, 3.0)]]], [[[(-3.0, -1.0), (1.0, -3.0)], [(-2.0, 1.0), (1.0, 2.0)]], [[(3.0, 2.0), (-1.0, 2.0)], [(3.0, 1.0), (0.0, -3.0)]]]]> : tensor<2x2x2x2xcomplex<f32>>
  %0 = stablehlo.unary_einsum %a, config = "abab->ba" : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %0, dense<[[(2.0, 0.0), (-2.0, 1.0)], [(3.0, -2.0), (0.0, -3.0)]]> : tensor<2x2xcomplex<f32>>
  func.return
}

func.func @one_label_three_times() {
  %a = stablehlo.constant dense<[[[2, -1], [2, 2]], [[3, -3], [3, 1]]]> : tensor<2x2x2xi32>
  %0 = stablehlo.unary_einsum %a, config = "aaa->a" : (tensor<2x2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[2, 1]> : tensor<2xi32>
  func.return
}

func.func @ellipsis_kept() {
  %a = stablehlo.constant dense<[[[0.0, 2.0], [3.0, 0.0]], [[-3.0, 2.0], [-2.0, -2.0]]]> : tensor<2x2x2xf32>
  %0 = stablehlo.unary_einsum %a, config = "...a->..." : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[2.0, 3.0], [-1.0, -4.0]]> : tensor<2x2xf32>
  func.return
}

func.func @identity() {
  %a = stablehlo.constant dense<[1, 1, 5]> : tensor<3xui8>
  %0 = stablehlo.unary_einsum %a, config = "a->a" : (tensor<3xui8>) -> tensor<3xui8>
  check.expect_eq_const %0, dense<[1, 1, 5]> : tensor<3xui8>
  func.return
}

func.func @predicates() {
  %a = stablehlo.constant dense<[[false, false, true], [true, false, false]]> : tensor<2x3xi1>
  %0 = stablehlo.unary_einsum %a, config = "ab->b" : (tensor<2x3xi1>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[true, false, true]> : tensor<3xi1>
  func.return
}

func.func @empty_diagonal() {
  %a = stablehlo.constant dense<> : tensor<0x0x2xf32>
  %0 = stablehlo.unary_einsum %a, config = "aab->ab" : (tensor<0x0x2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %0, dense<> : tensor<0x2xf32>
  func.return
}

func.func @empty_sum() {
  %a = stablehlo.constant dense<> : tensor<0x2xi32>
  %0 = stablehlo.unary_einsum %a, config = "ab->b" : (tensor<0x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[0, 0]> : tensor<2xi32>
  func.return
}

func.func @rank_0() {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %0 = stablehlo.unary_einsum %a, config = "->" : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %0, dense<-1.0> : tensor<f32>
  func.return
}

// The diagonal is only moved: a NaN beside it has no effect, and -0 on it stays.
func.func @diagonal_moves_bits() {
  %a = stablehlo.constant dense<[[-0.0, 0x7FC00000], [0x7FC00000, 1.0]]> : tensor<2x2xf32>
  %0 = stablehlo.unary_einsum %a, config = "aa->a" : (tensor<2x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[-0.0, 1.0]> : tensor<2xf32>
  func.return
}

// The diagonal moves the stored integers; the sum of 1.0, 2.5 is quantised once.
func.func @quantised() {
  %a = stablehlo.constant() {value = dense<[[2, 3], [4, 5]]> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %0 = stablehlo.unary_einsum %a, config = "aa->a" : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[1.0, 2.5]> : tensor<2xf32>
  %2 = stablehlo.unary_einsum %a, config = "aa->" : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<f32>
  check.expect_eq_const %3, dense<3.5> : tensor<f32>
  func.return
}
