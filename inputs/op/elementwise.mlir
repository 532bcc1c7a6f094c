// Written by utils/generate/gen_op_inputs.py: one function per operation and type. Run all: --op FILE@*

func.func @abs_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @abs_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @abs_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @abs_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @cbrt_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.cbrt"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @cbrt_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.cbrt"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @cbrt_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.cbrt"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @cbrt_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.cbrt"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @ceil_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.ceil"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @ceil_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.ceil"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @ceil_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.ceil"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @ceil_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.ceil"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @cosine_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.cosine"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @cosine_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.cosine"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @cosine_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.cosine"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @cosine_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.cosine"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @exponential_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.exponential"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @exponential_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.exponential"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @exponential_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.exponential"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @exponential_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.exponential"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @exponential_minus_one_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @exponential_minus_one_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @exponential_minus_one_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @exponential_minus_one_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @floor_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.floor"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @floor_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.floor"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @floor_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.floor"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @floor_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.floor"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @log_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.log"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @log_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.log"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @log_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.log"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @log_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.log"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @log_plus_one_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @log_plus_one_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @log_plus_one_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @log_plus_one_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @logistic_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.logistic"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @logistic_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.logistic"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @logistic_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.logistic"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @logistic_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.logistic"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @negate_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @negate_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @negate_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @negate_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @round_nearest_afz_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @round_nearest_afz_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @round_nearest_afz_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @round_nearest_afz_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @round_nearest_even_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @round_nearest_even_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @round_nearest_even_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @round_nearest_even_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @rsqrt_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.rsqrt"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @rsqrt_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.rsqrt"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @rsqrt_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.rsqrt"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @rsqrt_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.rsqrt"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @sign_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @sign_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @sign_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @sign_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @sine_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.sine"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @sine_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.sine"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @sine_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.sine"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @sine_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.sine"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @sqrt_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @sqrt_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @sqrt_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @sqrt_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @tan_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.tan"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @tan_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.tan"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @tan_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.tan"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @tan_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.tan"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @tanh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.tanh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @tanh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.tanh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @tanh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.tanh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @tanh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.tanh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @acos_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.acos"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @acos_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.acos"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @acos_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.acos"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @acos_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.acos"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @acosh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.acosh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @acosh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.acosh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @acosh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.acosh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @acosh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.acosh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @asin_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.asin"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @asin_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.asin"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @asin_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.asin"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @asin_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.asin"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @asinh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.asinh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @asinh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.asinh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @asinh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.asinh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @asinh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.asinh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @atan_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.atan"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @atan_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.atan"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @atan_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.atan"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @atan_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.atan"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @atanh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.atanh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @atanh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.atanh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @atanh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.atanh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @atanh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.atanh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @bessel_i1e_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.bessel_i1e"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @bessel_i1e_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.bessel_i1e"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @bessel_i1e_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.bessel_i1e"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @bessel_i1e_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.bessel_i1e"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @cosh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.cosh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @cosh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.cosh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @cosh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.cosh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @cosh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.cosh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @digamma_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.digamma"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @digamma_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.digamma"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @digamma_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.digamma"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @digamma_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.digamma"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @erf_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.erf"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @erf_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.erf"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @erf_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.erf"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @erf_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.erf"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @erf_inv_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.erf_inv"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @erf_inv_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.erf_inv"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @erf_inv_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.erf_inv"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @erf_inv_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.erf_inv"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @erfc_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.erfc"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @erfc_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.erfc"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @erfc_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.erfc"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @erfc_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.erfc"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @lgamma_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.lgamma"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @lgamma_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.lgamma"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @lgamma_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.lgamma"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @lgamma_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.lgamma"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @sinh_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.sinh"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @sinh_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.sinh"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @sinh_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.sinh"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @sinh_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.sinh"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @square_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.square"(%a) : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @square_bf16(%a: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.square"(%a) : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @square_f16(%a: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.square"(%a) : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @square_f64(%a: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.square"(%a) : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @add_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @add_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @add_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @add_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @subtract_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @subtract_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @subtract_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @subtract_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @multiply_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @multiply_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @multiply_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @multiply_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @divide_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @divide_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @divide_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @divide_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @maximum_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @maximum_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @maximum_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @maximum_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @minimum_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @minimum_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @minimum_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @minimum_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @power_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.power"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @power_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.power"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @power_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.power"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @power_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.power"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @remainder_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @remainder_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @remainder_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @remainder_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @atan2_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @atan2_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @atan2_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @atan2_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @next_after_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = "chlo.next_after"(%a, %b) : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @next_after_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = "chlo.next_after"(%a, %b) : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @next_after_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = "chlo.next_after"(%a, %b) : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @next_after_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = "chlo.next_after"(%a, %b) : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @abs_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @abs_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @abs_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.abs"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @negate_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @negate_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @negate_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @not_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.not"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @not_ui8(%a: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.not"(%a) : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @not_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.not"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @not_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.not"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @popcnt_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.popcnt"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @popcnt_ui8(%a: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.popcnt"(%a) : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @popcnt_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.popcnt"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @popcnt_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.popcnt"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @count_leading_zeros_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @count_leading_zeros_ui8(%a: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @count_leading_zeros_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @count_leading_zeros_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @sign_i8(%a: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @sign_i32(%a: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @sign_i64(%a: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.sign"(%a) : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @add_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @add_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @add_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @add_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @subtract_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @subtract_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @subtract_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @subtract_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @multiply_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @multiply_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @multiply_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @multiply_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @maximum_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @maximum_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @maximum_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @maximum_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @minimum_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @minimum_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @minimum_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @minimum_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @and_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.and"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @and_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.and"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @and_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.and"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @and_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.and"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @or_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.or"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @or_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.or"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @or_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.or"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @or_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.or"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @xor_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.xor"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @xor_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.xor"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @xor_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.xor"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @xor_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.xor"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @shift_left_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @shift_left_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @shift_left_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @shift_left_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @shift_right_arithmetic_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @shift_right_arithmetic_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @shift_right_arithmetic_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @shift_right_arithmetic_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @shift_right_logical_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @shift_right_logical_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @shift_right_logical_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @shift_right_logical_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @exponential_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.exponential"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @log_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.log"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @negate_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.negate"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @sine_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.sine"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @cosine_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.cosine"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @sqrt_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @tanh_cf32(%a: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.tanh"(%a) : (tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @add_cf32(%a: tensor<7x33xcomplex<f32>>, %b: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xcomplex<f32>>, tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @add_cf64(%a: tensor<7x33xcomplex<f64>>, %b: tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<7x33xcomplex<f64>>, tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>>
  return %0 : tensor<7x33xcomplex<f64>>
}

func.func @subtract_cf32(%a: tensor<7x33xcomplex<f32>>, %b: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xcomplex<f32>>, tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @subtract_cf64(%a: tensor<7x33xcomplex<f64>>, %b: tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<7x33xcomplex<f64>>, tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>>
  return %0 : tensor<7x33xcomplex<f64>>
}

func.func @multiply_cf32(%a: tensor<7x33xcomplex<f32>>, %b: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xcomplex<f32>>, tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @multiply_cf64(%a: tensor<7x33xcomplex<f64>>, %b: tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<7x33xcomplex<f64>>, tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>>
  return %0 : tensor<7x33xcomplex<f64>>
}

func.func @divide_cf32(%a: tensor<7x33xcomplex<f32>>, %b: tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xcomplex<f32>>, tensor<7x33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  return %0 : tensor<7x33xcomplex<f32>>
}

func.func @divide_cf64(%a: tensor<7x33xcomplex<f64>>, %b: tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<7x33xcomplex<f64>>, tensor<7x33xcomplex<f64>>) -> tensor<7x33xcomplex<f64>>
  return %0 : tensor<7x33xcomplex<f64>>
}

func.func @compare_eq_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_f32(%a: tensor<7x33xi1>, %b: tensor<7x33xf32>, %c: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @clamp_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>, %c: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_f32_bf16(%a: tensor<7x33xf32>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xf32>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_f32_i8(%a: tensor<7x33xf32>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xf32>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_f32_i32(%a: tensor<7x33xf32>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xf32>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_f32_f8e4m3fn(%a: tensor<7x33xf32>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xf32>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_bf16(%a: tensor<7x33xi1>, %b: tensor<7x33xbf16>, %c: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @clamp_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>, %c: tensor<7x33xbf16>) -> tensor<7x33xbf16> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_bf16_f32(%a: tensor<7x33xbf16>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_bf16_i8(%a: tensor<7x33xbf16>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_bf16_i32(%a: tensor<7x33xbf16>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_bf16_f8e4m3fn(%a: tensor<7x33xbf16>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_f16(%a: tensor<7x33xi1>, %b: tensor<7x33xf16>, %c: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @clamp_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>, %c: tensor<7x33xf16>) -> tensor<7x33xf16> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xf16>
  return %0 : tensor<7x33xf16>
}

func.func @convert_f16_f32(%a: tensor<7x33xf16>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xf16>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_f16_bf16(%a: tensor<7x33xf16>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_f16_i8(%a: tensor<7x33xf16>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xf16>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_f16_i32(%a: tensor<7x33xf16>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xf16>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_f16_f8e4m3fn(%a: tensor<7x33xf16>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xf16>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_f64(%a: tensor<7x33xi1>, %b: tensor<7x33xf64>, %c: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @clamp_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>, %c: tensor<7x33xf64>) -> tensor<7x33xf64> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xf64>
  return %0 : tensor<7x33xf64>
}

func.func @convert_f64_f32(%a: tensor<7x33xf64>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xf64>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_f64_bf16(%a: tensor<7x33xf64>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xf64>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_f64_i8(%a: tensor<7x33xf64>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xf64>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_f64_i32(%a: tensor<7x33xf64>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xf64>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_f64_f8e4m3fn(%a: tensor<7x33xf64>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xf64>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_i8(%a: tensor<7x33xi1>, %b: tensor<7x33xi8>, %c: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @clamp_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>, %c: tensor<7x33xi8>) -> tensor<7x33xi8> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_i8_f32(%a: tensor<7x33xi8>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xi8>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_i8_bf16(%a: tensor<7x33xi8>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xi8>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_i8_i32(%a: tensor<7x33xi8>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xi8>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_i8_f8e4m3fn(%a: tensor<7x33xi8>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xi8>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_ui8(%a: tensor<7x33xi1>, %b: tensor<7x33xui8>, %c: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @clamp_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>, %c: tensor<7x33xui8>) -> tensor<7x33xui8> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xui8>
  return %0 : tensor<7x33xui8>
}

func.func @convert_ui8_f32(%a: tensor<7x33xui8>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xui8>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_ui8_bf16(%a: tensor<7x33xui8>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xui8>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_ui8_i8(%a: tensor<7x33xui8>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xui8>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_ui8_i32(%a: tensor<7x33xui8>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xui8>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_ui8_f8e4m3fn(%a: tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_i32(%a: tensor<7x33xi1>, %b: tensor<7x33xi32>, %c: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @clamp_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>, %c: tensor<7x33xi32>) -> tensor<7x33xi32> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_i32_f32(%a: tensor<7x33xi32>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xi32>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_i32_bf16(%a: tensor<7x33xi32>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xi32>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_i32_i8(%a: tensor<7x33xi32>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xi32>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_i32_f8e4m3fn(%a: tensor<7x33xi32>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xi32>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @compare_eq_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare EQ, %a, %b : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_ge_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @compare_lt_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> tensor<7x33xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @select_i64(%a: tensor<7x33xi1>, %b: tensor<7x33xi64>, %c: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = stablehlo.select %a, %b, %c : tensor<7x33xi1>, tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @clamp_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>, %c: tensor<7x33xi64>) -> tensor<7x33xi64> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<7x33xi64>
  return %0 : tensor<7x33xi64>
}

func.func @convert_i64_f32(%a: tensor<7x33xi64>) -> tensor<7x33xf32> {
  %0 = stablehlo.convert %a : (tensor<7x33xi64>) -> tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}

func.func @convert_i64_bf16(%a: tensor<7x33xi64>) -> tensor<7x33xbf16> {
  %0 = stablehlo.convert %a : (tensor<7x33xi64>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

func.func @convert_i64_i8(%a: tensor<7x33xi64>) -> tensor<7x33xi8> {
  %0 = stablehlo.convert %a : (tensor<7x33xi64>) -> tensor<7x33xi8>
  return %0 : tensor<7x33xi8>
}

func.func @convert_i64_i32(%a: tensor<7x33xi64>) -> tensor<7x33xi32> {
  %0 = stablehlo.convert %a : (tensor<7x33xi64>) -> tensor<7x33xi32>
  return %0 : tensor<7x33xi32>
}

func.func @convert_i64_f8e4m3fn(%a: tensor<7x33xi64>) -> tensor<7x33xf8E4M3FN> {
  %0 = stablehlo.convert %a : (tensor<7x33xi64>) -> tensor<7x33xf8E4M3FN>
  return %0 : tensor<7x33xf8E4M3FN>
}

func.func @is_finite_f32(%a: tensor<7x33xf32>) -> tensor<7x33xi1> {
  %0 = stablehlo.is_finite %a : (tensor<7x33xf32>) -> tensor<7x33xi1>
  return %0 : tensor<7x33xi1>
}

func.func @reduce_precision_f32(%a: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<7x33xf32>
  return %0 : tensor<7x33xf32>
}
