// RUN: assay test %s
// stablehlo.select. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @select_i1() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  %on_false = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %result, dense<[true, true, false, false]> : tensor<4xi1>
  func.return
}

func.func @select_i4() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[7, -8, -8, 7]> : tensor<4xi4>
  %on_false = stablehlo.constant dense<[-8, 7, 7, -8]> : tensor<4xi4>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xi4>, tensor<4xi4>) -> tensor<4xi4>
  check.expect_eq_const %result, dense<[7, 7, -8, -8]> : tensor<4xi4>
  func.return
}

func.func @select_ui2() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[3, 0, 0, 3]> : tensor<4xui2>
  %on_false = stablehlo.constant dense<[0, 3, 3, 0]> : tensor<4xui2>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xui2>, tensor<4xui2>) -> tensor<4xui2>
  check.expect_eq_const %result, dense<[3, 3, 0, 0]> : tensor<4xui2>
  func.return
}

func.func @select_i8() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[127, -128, -128, 127]> : tensor<4xi8>
  %on_false = stablehlo.constant dense<[-128, 127, 127, -128]> : tensor<4xi8>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  check.expect_eq_const %result, dense<[127, 127, -128, -128]> : tensor<4xi8>
  func.return
}

func.func @select_i64() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1099511627776, -1, -1, 1099511627776]> : tensor<4xi64>
  %on_false = stablehlo.constant dense<[-1, 1099511627776, 1099511627776, -1]> : tensor<4xi64>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[1099511627776, 1099511627776, -1, -1]> : tensor<4xi64>
  func.return
}

func.func @select_f8E5M2() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1.5, -2.0, -2.0, 1.5]> : tensor<4xf8E5M2>
  %on_false = stablehlo.constant dense<[-2.0, 1.5, 1.5, -2.0]> : tensor<4xf8E5M2>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  check.expect_eq_const %result, dense<[1.5, 1.5, -2.0, -2.0]> : tensor<4xf8E5M2>
  func.return
}

func.func @select_bf16() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1.5, 0x7FC0, 0x7FC0, 1.5]> : tensor<4xbf16>
  %on_false = stablehlo.constant dense<[0x7FC0, 1.5, 1.5, 0x7FC0]> : tensor<4xbf16>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  check.expect_eq_const %result, dense<[1.5, 1.5, 0x7FC0, 0x7FC0]> : tensor<4xbf16>
  func.return
}

func.func @select_f16() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1.5, 0x7C00, 0x7C00, 1.5]> : tensor<4xf16>
  %on_false = stablehlo.constant dense<[0x7C00, 1.5, 1.5, 0x7C00]> : tensor<4xf16>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  check.expect_eq_const %result, dense<[1.5, 1.5, 0x7C00, 0x7C00]> : tensor<4xf16>
  func.return
}

func.func @select_f32() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1.5, 0x7FC00000, 0x7FC00000, 1.5]> : tensor<4xf32>
  %on_false = stablehlo.constant dense<[0x7FC00000, 1.5, 1.5, 0x7FC00000]> : tensor<4xf32>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %result, dense<[1.5, 1.5, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @select_f64() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[1.5, 0xFFF0000000000000, 0xFFF0000000000000, 1.5]> : tensor<4xf64>
  %on_false = stablehlo.constant dense<[0xFFF0000000000000, 1.5, 1.5, 0xFFF0000000000000]> : tensor<4xf64>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[1.5, 1.5, 0xFFF0000000000000, 0xFFF0000000000000]> : tensor<4xf64>
  func.return
}

func.func @select_complex_f32() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<4xcomplex<f32>>
  %on_false = stablehlo.constant dense<[(3.0, 4.0), (1.0, 2.0), (1.0, 2.0), (3.0, 4.0)]> : tensor<4xcomplex<f32>>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_eq_const %result, dense<[(1.0, 2.0), (1.0, 2.0), (3.0, 4.0), (3.0, 4.0)]> : tensor<4xcomplex<f32>>
  func.return
}

func.func @select_complex_f64() {
  %pred = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %on_true = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0), (3.0, 4.0), (1.0, 2.0)]> : tensor<4xcomplex<f64>>
  %on_false = stablehlo.constant dense<[(3.0, 4.0), (1.0, 2.0), (1.0, 2.0), (3.0, 4.0)]> : tensor<4xcomplex<f64>>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  check.expect_eq_const %result, dense<[(1.0, 2.0), (1.0, 2.0), (3.0, 4.0), (3.0, 4.0)]> : tensor<4xcomplex<f64>>
  func.return
}

func.func @select_scalar() {
  %pred = stablehlo.constant dense<true> : tensor<i1>
  %on_true = stablehlo.constant dense<1.0> : tensor<f32>
  %on_false = stablehlo.constant dense<2.0> : tensor<f32>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<1.0> : tensor<f32>
  func.return
}

func.func @select_splat() {
  %pred = stablehlo.constant dense<true> : tensor<3x2xi1>
  %on_true = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %on_false = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %result, dense<1.0> : tensor<3x2xf32>
  func.return
}

func.func @select_empty() {
  %pred = stablehlo.constant dense<> : tensor<0x3xi1>
  %on_true = stablehlo.constant dense<> : tensor<0x3xf32>
  %on_false = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "stablehlo.select"(%pred, %on_true, %on_false) : (tensor<0x3xi1>, tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %result, dense<> : tensor<0x3xf32>
  func.return
}

func.func @select_scalar_predicate() {
  %pred = stablehlo.constant dense<false> : tensor<i1>
  %on_true = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %on_false = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %result = stablehlo.select %pred, %on_true, %on_false : tensor<i1>, tensor<2xi32>
  check.expect_eq_const %result, dense<[3, 4]> : tensor<2xi32>
  func.return
}
