// RUN: assay test %s
// stablehlo.cosine. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @cosine_bf16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.98828125, 0.87890625, 0.96875, 0.5390625, -0.83984375, 0.86328125]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @cosine_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.cosine"(%operand) : (tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[1.0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @cosine_f16() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.990234375, 0.87744140625, 0.96875, 0.54052734375, -0.8388671875, 0.8623046875]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @cosine_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  %result = "stablehlo.cosine"(%operand) : (tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[1.0, 0x7E00, 0x7E00, 0x7E00]> : tensor<4xf16>
  func.return
}

func.func @cosine_f32() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.9899924993515015, 0.8775825500488281, 0.9689124226570129, 0.5403022766113281, -0.83907151222229, 0.8623188734054565]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @cosine_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[1.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @cosine_f64() {
  %operand = stablehlo.constant dense<[-3.0, -0.5, 0.25, 1.0, 10.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.9899924966004454, 0.8775825618903728, 0.9689124217106447, 0.5403023058681398, -0.8390715290764524, 0.8623188722876839]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @cosine_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %result = "stablehlo.cosine"(%operand) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[1.0, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  func.return
}

func.func @cosine_scalar() {
  %operand = stablehlo.constant dense<-3.0> : tensor<f32>
  %result = "stablehlo.cosine"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.9899924993515015> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @cosine_splat() {
  %operand = stablehlo.constant dense<-3.0> : tensor<3x2xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.9899924993515015> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @cosine_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @cosine_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.9051501750946045, -0.12110879272222519), (0.26612719893455505, 3.6177749633789062), (-0.9977368712425232, 0.01768597401678562), (26.459285736083984, -6.751633644104004), (1.000091552734375, 0.00012207403779029846), (-0.5387783646583557, -0.7477304935455322)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @cosine_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.cosine"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.9051501505596067, -0.12110879604381165), (0.2661271953135458, 3.6177750739401375), (-0.9977368889512219, 0.017685974412135323), (26.459286009782883, -6.751633562297499), (1.000091551647795, 0.0001220740378041934), (-0.5387783532487324, -0.747730488384954)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
