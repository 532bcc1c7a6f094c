func.func @main(%a: tensor<2xf32>) -> tuple<tensor<2xf32>, tuple<tensor<2xi32>>> {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %inner = stablehlo.tuple %c : tuple<tensor<2xi32>>
  %t = stablehlo.tuple %a, %inner : tuple<tensor<2xf32>, tuple<tensor<2xi32>>>
  return %t : tuple<tensor<2xf32>, tuple<tensor<2xi32>>>
}
