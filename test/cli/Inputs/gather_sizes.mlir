func.func @main(%sizes: tensor<2xi64>) -> tensor<2x4x2xi32> {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %start = stablehlo.constant dense<0> : tensor<2x1xi64>
  %0 = "stablehlo.dynamic_gather"(%operand, %start, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x2xi32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x4x2xi32>
  return %0 : tensor<2x4x2xi32>
}
