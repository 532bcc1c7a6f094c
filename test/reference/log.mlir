// RUN: assay test %s
// stablehlo.log. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @log_bf16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.log"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-4.84375, -0.69140625, -0.287109375, 0.0, 1.1015625, 4.59375]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @log_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "stablehlo.log"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0xFF80, 0.0, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @log_f16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.log"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-4.8515625, -0.693359375, -0.28759765625, 0.0, 1.0986328125, 4.60546875]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @log_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "stablehlo.log"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0xFC00, 0.0, 0x7C00, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @log_f32() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.log"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-4.852030277252197, -0.6931471824645996, -0.28768208622932434, 0.0, 1.0986123085021973, 4.605170249938965]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @log_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "stablehlo.log"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0xFF800000, 0.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @log_f64() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.log"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-4.852030263919617, -0.6931471805599453, -0.2876820724517809, 0.0, 1.0986122886681098, 4.605170185988092]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @log_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "stablehlo.log"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0xFFF0000000000000, 0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @log_scalar() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<f32>
  %result = "stablehlo.log"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-4.852030277252197> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @log_splat() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<3x2xf32>
  %result = "stablehlo.log"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-4.852030277252197> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @log_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.log"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @log_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.log"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-0.5815753936767578, 0.46364760398864746), (0.9162907600402832, 2.2142975330352783), (1.0994795560836792, -0.041642580181360245), (1.3882436752319336, -1.6332151889801025), (-4.047311305999756, -1.1071487665176392), (0.7589353322982788, 0.3587706685066223)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @log_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.log"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(-0.5815754049028404, 0.4636476090008061), (0.9162907318741551, 2.214297435588181), (1.099479591574214, -0.04164257909858842), (1.3882436813277192, -1.633215136790854), (-4.047311307702567, -1.1071487177940904), (0.7589353594543049, 0.35877067027057225)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
