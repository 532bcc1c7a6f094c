// RUN: assay test %s
// stablehlo.sqrt. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @sqrt_bf16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xbf16>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[0.08837890625, 0.70703125, 0.8671875, 1.0, 1.734375, 10.0]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @sqrt_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "stablehlo.sqrt"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7F80, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @sqrt_f16() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf16>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[0.08837890625, 0.70703125, 0.8662109375, 1.0, 1.732421875, 10.0]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @sqrt_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "stablehlo.sqrt"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7C00, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @sqrt_f32() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.0883883461356163, 0.7071067690849304, 0.8660253882408142, 1.0, 1.7320507764816284, 10.0]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @sqrt_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @sqrt_f64() {
  %operand = stablehlo.constant dense<[0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0]> : tensor<6xf64>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[0.08838834764831845, 0.7071067811865476, 0.8660254037844386, 1.0, 1.7320508075688772, 10.0]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @sqrt_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "stablehlo.sqrt"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0.0, 1.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @sqrt_scalar() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<f32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0.0883883461356163> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @sqrt_splat() {
  %operand = stablehlo.constant dense<0.0078125> : tensor<3x2xf32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<0.0883883461356163> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @sqrt_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @sqrt_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.727673351764679, 0.17178037762641907), (0.7071067690849304, 1.4142135381698608), (1.7324265241622925, -0.03607656806707382), (1.3707306385040283, -1.459075927734375), (0.11243171244859695, -0.06948661804199219), (1.4380544424057007, 0.26076897978782654)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @sqrt_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "stablehlo.sqrt"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.7276733451126774, 0.17178037486125622), (0.7071067811865476, 1.4142135623730951), (1.7324264829085936, -0.03607656695195974), (1.3707306236949601, -1.459075886558055), (0.1124317149967417, -0.06948662128142764), (1.4380544037569272, 0.2607689938713792)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
