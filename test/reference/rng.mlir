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

func.func @rng_uniform_fills_its_interval() {
  // 4000 draws from [2, 3): both tenths at the ends are reached, and the mean is within five standard errors of 2.5.
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[4000]> : tensor<1xi64>
  %result = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4000xf32>
  %lowest = stablehlo.reduce(%result init: %b) applies stablehlo.minimum across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %highest = stablehlo.reduce(%result init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%result init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.reshape %lowest : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %highest : (tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
  %found = "stablehlo.concatenate"(%0, %1, %2) {dimension = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %least = stablehlo.constant dense<[2.0, 2.9, 9908.0]> : tensor<3xf32>
  %most = stablehlo.constant dense<[2.1, 3.0, 10092.0]> : tensor<3xf32>
  %above = stablehlo.compare GE, %found, %least : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %below = stablehlo.compare LT, %found, %most : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %inside = stablehlo.and %above, %below : tensor<3xi1>
  check.expect_eq_const %inside, dense<true> : tensor<3xi1>
  func.return
}

func.func @rng_normal_has_its_mean_and_deviation() {
  // 4000 draws of mean 5 and deviation 2: mean and variance within five standard errors, and a share of 68.3 % within one deviation.
  %mean = stablehlo.constant dense<5.0> : tensor<f32>
  %deviation = stablehlo.constant dense<2.0> : tensor<f32>
  %shape = stablehlo.constant dense<[4000]> : tensor<1xi64>
  %result = stablehlo.rng %mean, %deviation, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4000xf32>
  %centre = stablehlo.broadcast_in_dim %mean, dims = [] : (tensor<f32>) -> tensor<4000xf32>
  %off = stablehlo.subtract %result, %centre : tensor<4000xf32>
  %squares = stablehlo.multiply %off, %off : tensor<4000xf32>
  %four = stablehlo.constant dense<4.0> : tensor<4000xf32>
  %near = stablehlo.compare LT, %squares, %four : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xi1>
  %ones = stablehlo.convert %near : (tensor<4000xi1>) -> tensor<4000xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%off init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %spread = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %within = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4000xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %spread : (tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %within : (tensor<f32>) -> tensor<1xf32>
  %found = "stablehlo.concatenate"(%0, %1, %2) {dimension = 0 : i64} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %least = stablehlo.constant dense<[-633.0, 14200.0, 2580.0]> : tensor<3xf32>
  %most = stablehlo.constant dense<[633.0, 17800.0, 2880.0]> : tensor<3xf32>
  %above = stablehlo.compare GE, %found, %least : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %below = stablehlo.compare LT, %found, %most : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %inside = stablehlo.and %above, %below : tensor<3xi1>
  check.expect_eq_const %inside, dense<true> : tensor<3xi1>
  func.return
}

func.func @rng_calls_draw_other_numbers() {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<[8]> : tensor<1xi64>
  %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  %y = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  %other = stablehlo.compare NE, %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  check.expect_eq_const %other, dense<true> : tensor<8xi1>
  func.return
}

func.func @rng_integers_reach_both_ends_but_not_the_bound() {
  %a = stablehlo.constant dense<-1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %shape = stablehlo.constant dense<[200]> : tensor<1xi64>
  %result = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<200xi32>
  %lowest = stablehlo.reduce(%result init: %b) applies stablehlo.minimum across dimensions = [0] : (tensor<200xi32>, tensor<i32>) -> tensor<i32>
  %highest = stablehlo.reduce(%result init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<200xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %lowest, dense<-1> : tensor<i32>
  check.expect_eq_const %highest, dense<1> : tensor<i32>
  func.return
}
