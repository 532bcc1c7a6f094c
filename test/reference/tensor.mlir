// Operations of tensor that exporters put around dynamic shapes.
// RUN: assay test %s

func.func private @sizes(%x: tensor<?x3xf32>) -> tensor<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %x, %c0 : tensor<?x3xf32>
  %1 = tensor.dim %x, %c1 : tensor<?x3xf32>
  %2 = arith.index_cast %0 : index to i64
  %3 = arith.index_cast %1 : index to i64
  %4 = tensor.from_elements %2, %3 : tensor<2xi64>
  return %4 : tensor<2xi64>
}

func.func @dim() {
  %x = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %cast = tensor.cast %x : tensor<5x3xf32> to tensor<?x3xf32>
  %0 = call @sizes(%cast) : (tensor<?x3xf32>) -> tensor<2xi64>
  check.expect_eq_const %0, dense<[5, 3]> : tensor<2xi64>
  return
}

func.func @from_elements() {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  %0 = tensor.from_elements %a, %b, %b, %a : tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [2, 1]]> : tensor<2x2xi32>
  %1 = tensor.from_elements %b : tensor<i32>
  check.expect_eq_const %1, dense<2> : tensor<i32>
  return
}

func.func @extract() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %x[%c1, %c2] : tensor<2x3xi64>
  %scalar = stablehlo.constant dense<7> : tensor<i64>
  %1 = tensor.extract %scalar[] : tensor<i64>
  %2 = arith.addi %0, %1 : i64
  %3 = tensor.from_elements %2 : tensor<1xi64>
  check.expect_eq_const %3, dense<[13]> : tensor<1xi64>
  return
}

// A batch of run-time size, flattened as torch-mlir writes it.
func.func private @flatten(%x: tensor<?x2x3xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : i64
  %0 = tensor.dim %x, %c0 : tensor<?x2x3xf32>
  %1 = arith.index_cast %0 : index to i64
  %shape = tensor.from_elements %1, %c6 : tensor<2xi64>
  %2 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  return %2 : tensor<?x6xf32>
}

func.func @reshape_to_a_computed_shape() {
  %x = stablehlo.iota dim = 2 : tensor<2x2x3xf32>
  %cast = tensor.cast %x : tensor<2x2x3xf32> to tensor<?x2x3xf32>
  %0 = call @flatten(%cast) : (tensor<?x2x3xf32>) -> tensor<?x6xf32>
  %1 = tensor.cast %0 : tensor<?x6xf32> to tensor<2x6xf32>
  check.expect_eq_const %1, dense<[[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]]> : tensor<2x6xf32>
  return
}
