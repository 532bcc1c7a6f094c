// RUN: assay test %s

func.func @rng_uniform_stays_in_its_interval() {
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[50]> : tensor<1xi64>
  %result = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<50xf32>
  %low = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<50xf32>
  %high = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<50xf32>
  %above = stablehlo.compare GE, %result, %low : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xi1>
  %below = stablehlo.compare LT, %result, %high : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xi1>
  %inside = stablehlo.and %above, %below : tensor<50xi1>
  check.expect_eq_const %inside, dense<true> : tensor<50xi1>
  func.return
}
