// For run_isolate.test: effects of a program besides its results.

func.func @checks() {
  %value = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  interpreter.print %value : tensor<2xi32>
  check.expect_eq_const %value, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %value, dense<[1, 3]> : tensor<2xi32>
  func.return
}

func.func @holds() {
  %value = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %value, dense<[1, 2]> : tensor<2xi32>
  func.return
}

func.func @probes() -> tensor<2xf32> {
  %value = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %seen = interpreter.probe %value, probe_id = "here" : tensor<2xf32>
  func.return %seen : tensor<2xf32>
}

func.func @endless() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %result = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %same = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %same : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
  func.return %result : tensor<i32>
}

func.func @large() -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %many = stablehlo.iota dim = 0 : tensor<1000000xf32>
  %sum = stablehlo.reduce(%many init: %one) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
  func.return %sum : tensor<f32>
}

func.func @token() -> !stablehlo.token {
  %token = stablehlo.create_token : !stablehlo.token
  func.return %token : !stablehlo.token
}
func.func private @one_more(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @branch(%a: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.compare EQ, %s, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = "stablehlo.if"(%c) ({
    %1 = func.call @one_more(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %2 = stablehlo.add %0, %0 : tensor<2xf32> loc("sum")
  return %2 : tensor<2xf32>
}
