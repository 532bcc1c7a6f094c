// A product of a type that oneDNN lacks, and one of a type that it has.
func.func @main(%a: tensor<4x4xf64>, %b: tensor<4x4xf32>) -> (tensor<4x4xf64>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf64>, tensor<4x4xf32>
}
