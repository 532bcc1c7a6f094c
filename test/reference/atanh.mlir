// RUN: assay test %s
// chlo.atanh. Written by utils/generate/gen_elementwise_tests.py (expected values: Python integers, mpmath).

func.func @atanh_bf16() {
  %operand = stablehlo.constant dense<[-0.75, -0.5, 0.0078125, 0.25, 0.5, 0.75]> : tensor<6xbf16>
  %result = "chlo.atanh"(%operand) : (tensor<6xbf16>) -> tensor<6xbf16>
  %expected = stablehlo.constant dense<[-0.97265625, -0.55078125, 0.0078125, 0.255859375, 0.55078125, 0.97265625]> : tensor<6xbf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xbf16>, tensor<6xbf16>
  func.return
}

func.func @atanh_bf16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<5xbf16>
  %result = "chlo.atanh"(%operand) : (tensor<5xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %result, dense<[0.0, 0x7F80, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<5xbf16>
  func.return
}

func.func @atanh_f16() {
  %operand = stablehlo.constant dense<[-0.75, -0.5, 0.0078125, 0.25, 0.5, 0.75]> : tensor<6xf16>
  %result = "chlo.atanh"(%operand) : (tensor<6xf16>) -> tensor<6xf16>
  %expected = stablehlo.constant dense<[-0.97314453125, -0.54931640625, 0.0078125, 0.25537109375, 0.54931640625, 0.97314453125]> : tensor<6xf16>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf16>, tensor<6xf16>
  func.return
}

func.func @atanh_f16_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<5xf16>
  %result = "chlo.atanh"(%operand) : (tensor<5xf16>) -> tensor<5xf16>
  check.expect_eq_const %result, dense<[0.0, 0x7C00, 0x7E00, 0x7E00, 0x7E00]> : tensor<5xf16>
  func.return
}

func.func @atanh_f32() {
  %operand = stablehlo.constant dense<[-0.75, -0.5, 0.0078125, 0.25, 0.5, 0.75]> : tensor<6xf32>
  %result = "chlo.atanh"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  %expected = stablehlo.constant dense<[-0.972955048084259, -0.5493061542510986, 0.00781265925616026, 0.2554128170013428, 0.5493061542510986, 0.972955048084259]> : tensor<6xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf32>, tensor<6xf32>
  func.return
}

func.func @atanh_f32_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %result = "chlo.atanh"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %result, dense<[0.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @atanh_f64() {
  %operand = stablehlo.constant dense<[-0.75, -0.5, 0.0078125, 0.25, 0.5, 0.75]> : tensor<6xf64>
  %result = "chlo.atanh"(%operand) : (tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[-0.9729550745276566, -0.5493061443340549, 0.007812658951540421, 0.25541281188299536, 0.5493061443340549, 0.9729550745276566]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @atanh_f64_special() {
  %operand = stablehlo.constant dense<[0.0, 1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  %result = "chlo.atanh"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_eq_const %result, dense<[0.0, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<5xf64>
  func.return
}

func.func @atanh_scalar() {
  %operand = stablehlo.constant dense<-0.75> : tensor<f32>
  %result = "chlo.atanh"(%operand) : (tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<-0.972955048084259> : tensor<f32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

func.func @atanh_splat() {
  %operand = stablehlo.constant dense<-0.75> : tensor<3x2xf32>
  %result = "chlo.atanh"(%operand) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %expected = stablehlo.constant dense<-0.972955048084259> : tensor<3x2xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<3x2xf32>, tensor<3x2xf32>
  func.return
}

func.func @atanh_empty() {
  %operand = stablehlo.constant dense<> : tensor<0x3xf32>
  %result = "chlo.atanh"(%operand) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %expected = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<0x3xf32>, tensor<0x3xf32>
  func.return
}

func.func @atanh_complex_f32() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f32>>
  %result = "chlo.atanh"(%operand) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.5003700256347656, 0.3143981397151947), (-0.22008967399597168, 1.2452579736709595), (0.34584295749664307, -1.5552068948745728), (-0.014656211249530315, -1.3266799449920654), (0.007810751907527447, -0.015624681487679482), (0.4528905153274536, 1.371535062789917)]> : tensor<6xcomplex<f32>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  func.return
}

func.func @atanh_complex_f64() {
  %operand = stablehlo.constant dense<[(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]> : tensor<6xcomplex<f64>>
  %result = "chlo.atanh"(%operand) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %expected = stablehlo.constant dense<[(0.5003700000525311, 0.3143981432077165), (-0.22008968066202292, 1.2452579660726568), (0.34584295166932216, -1.555206838512052), (-0.014656210836880889, -1.3266799176095636), (0.007810751835745343, -0.015624681887442624), (0.4528905241310587, 1.3715351039616865)]> : tensor<6xcomplex<f64>>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  func.return
}
