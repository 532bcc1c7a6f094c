// fft: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @fft(
func.func @fft(%a: tensor<3x16xcomplex<f32>>, %b: tensor<16xf32>, %c: tensor<9xcomplex<f32>>) {
  // CHECK: stablehlo.fft %{{[^ ,:)]+}}, type = FFT, length = [16] : (tensor<3x16xcomplex<f32>>) -> tensor<3x16xcomplex<f32>>
  %r0 = stablehlo.fft %a, type = FFT, length = [16] : (tensor<3x16xcomplex<f32>>) -> tensor<3x16xcomplex<f32>>
  // CHECK: stablehlo.fft %{{[^ ,:)]+}}, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
  %r1 = stablehlo.fft %b, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
  // CHECK: stablehlo.fft %{{[^ ,:)]+}}, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
  %r2 = stablehlo.fft %c, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
  return
}

// -----

func.func @fft_c1(%a: tensor<16xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' must have 1 to 3 elements}}
  %0 = stablehlo.fft %a, type = FFT, length = [1, 16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  return
}

// -----

func.func @fft_c2(%a: tensor<16xf32>) {
  // expected-error@+1 {{FFT does not turn}}
  %0 = stablehlo.fft %a, type = FFT, length = [16] : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @fft_c3(%a: tensor<16xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' must have 1 to 3 elements}}
  %0 = stablehlo.fft %a, type = FFT, length = [] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  return
}

// -----

func.func @fft_c4(%a: tensor<16xf32>) {
  // expected-error@+1 {{'fft_length' does not fit the operand}}
  %0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
  return
}

// -----

func.func @fft_c5(%a: tensor<16xf32>) {
  // expected-error@+1 {{result must have shape [9], got [8]}}
  %0 = stablehlo.fft %a, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<8xcomplex<f32>>
  return
}
