// RUN: assay test %s

func.func @optimization_barrier_forwards() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %x, %y = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<i32>
  check.expect_eq_const %x, dense<1.0> : tensor<f32>
  check.expect_eq_const %y, dense<2> : tensor<i32>
  func.return
}
