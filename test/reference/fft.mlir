// RUN: assay test %s

func.func @fft_of_an_impulse_and_back() {
  %operand = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f32>>
  %result = stablehlo.fft %operand, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_eq_const %result, dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  %back = stablehlo.fft %result, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_eq %back, %operand : tensor<4xcomplex<f32>>
  func.return
}

func.func @fft_real_forms_of_odd_length() {
  %operand = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  %half = stablehlo.fft %operand, type = RFFT, length = [3] : (tensor<3xf64>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %half, dense<[(7.0, 0.0), (-2.0, 1.7320508075688772)]> : tensor<2xcomplex<f64>>, tolerance = 1.0e-14
  %back = stablehlo.fft %half, type = IRFFT, length = [3] : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
  check.expect_almost_eq %back, %operand, tolerance = 1.0e-14 : tensor<3xf64>
  func.return
}

func.func @fft_two_dimensions_and_empty() {
  %operand = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)], [(3.0, 0.0), (4.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  %result = stablehlo.fft %operand, type = FFT, length = [2, 2] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %result, dense<[[(10.0, 0.0), (-2.0, 0.0)], [(-4.0, 0.0), (0.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  %empty = stablehlo.constant dense<> : tensor<0x2xcomplex<f32>>
  %nothing = stablehlo.fft %empty, type = FFT, length = [2] : (tensor<0x2xcomplex<f32>>) -> tensor<0x2xcomplex<f32>>
  check.expect_eq %nothing, %empty : tensor<0x2xcomplex<f32>>
  func.return
}

// The imaginary parts of the first and the middle frequency, which a real signal cannot have, are ignored.
func.func @fft_irfft_reads_no_imaginary_part_of_the_middle() {
  %half = stablehlo.constant dense<[(1.0, 0x7FF0000000000000), (2.0, 0.0), (3.0, 0x7FF0000000000000)]> : tensor<3xcomplex<f64>>
  %result = stablehlo.fft %half, type = IRFFT, length = [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
  check.expect_eq_const %result, dense<[2.0, -0.5, 0.0, -0.5]> : tensor<4xf64>
  func.return
}
