// Written by utils/generate/gen_op_inputs.py: one function per operation and type. Run all: --op FILE@*

func.func @dot_f32(%a: tensor<16x96xf32>, %b: tensor<96x40xf32>) -> tensor<16x40xf32> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<16x96xf32>, tensor<96x40xf32>) -> tensor<16x40xf32>
  return %0 : tensor<16x40xf32>
}

func.func @dot_bf16(%a: tensor<16x96xbf16>, %b: tensor<96x40xbf16>) -> tensor<16x40xbf16> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<16x96xbf16>, tensor<96x40xbf16>) -> tensor<16x40xbf16>
  return %0 : tensor<16x40xbf16>
}

func.func @dot_bf16_f32(%a: tensor<16x96xbf16>, %b: tensor<96x40xbf16>) -> tensor<16x40xf32> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<16x96xbf16>, tensor<96x40xbf16>) -> tensor<16x40xf32>
  return %0 : tensor<16x40xf32>
}

func.func @dot_f64(%a: tensor<16x96xf64>, %b: tensor<96x40xf64>) -> tensor<16x40xf64> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<16x96xf64>, tensor<96x40xf64>) -> tensor<16x40xf64>
  return %0 : tensor<16x40xf64>
}

func.func @dot_i8_i32(%a: tensor<16x96xi8>, %b: tensor<96x40xi8>) -> tensor<16x40xi32> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<16x96xi8>, tensor<96x40xi8>) -> tensor<16x40xi32>
  return %0 : tensor<16x40xi32>
}

func.func @dot_c64(%a: tensor<8x24xcomplex<f32>>, %b: tensor<24x9xcomplex<f32>>) -> tensor<8x9xcomplex<f32>> {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<8x24xcomplex<f32>>, tensor<24x9xcomplex<f32>>) -> tensor<8x9xcomplex<f32>>
  return %0 : tensor<8x9xcomplex<f32>>
}

func.func @dot_general_f32(%a: tensor<3x16x64xf32>, %b: tensor<3x24x64xf32>) -> tensor<3x16x24xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x16x64xf32>, tensor<3x24x64xf32>) -> tensor<3x16x24xf32>
  return %0 : tensor<3x16x24xf32>
}

func.func @dot_general_f16(%a: tensor<3x16x64xf16>, %b: tensor<3x24x64xf16>) -> tensor<3x16x24xf16> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x16x64xf16>, tensor<3x24x64xf16>) -> tensor<3x16x24xf16>
  return %0 : tensor<3x16x24xf16>
}

func.func @convolution_f32(%a: tensor<2x12x12x8xf32>, %b: tensor<3x3x8x16xf32>) -> tensor<2x12x12x16xf32> {
  %0 = "stablehlo.convolution"(%a, %b) {window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x12x12x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x12x12x16xf32>
  return %0 : tensor<2x12x12x16xf32>
}

func.func @convolution_bf16(%a: tensor<2x12x12x8xbf16>, %b: tensor<3x3x8x16xbf16>) -> tensor<2x12x12x16xbf16> {
  %0 = "stablehlo.convolution"(%a, %b) {window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x12x12x8xbf16>, tensor<3x3x8x16xbf16>) -> tensor<2x12x12x16xbf16>
  return %0 : tensor<2x12x12x16xbf16>
}

func.func @convolution_grouped_f32(%a: tensor<2x12x12x8xf32>, %b: tensor<3x3x4x16xf32>) -> tensor<2x12x12x16xf32> {
  %0 = "stablehlo.convolution"(%a, %b) {window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x12x12x8xf32>, tensor<3x3x4x16xf32>) -> tensor<2x12x12x16xf32>
  return %0 : tensor<2x12x12x16xf32>
}

func.func @transpose_f32(%a: tensor<5x6x7xf32>) -> tensor<7x5x6xf32> {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
  return %0 : tensor<7x5x6xf32>
}

func.func @transpose_i8(%a: tensor<5x6x7xi8>) -> tensor<7x5x6xi8> {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<5x6x7xi8>) -> tensor<7x5x6xi8>
  return %0 : tensor<7x5x6xi8>
}

func.func @reshape_bf16(%a: tensor<5x6x7xbf16>) -> tensor<30x7xbf16> {
  %0 = stablehlo.reshape %a : (tensor<5x6x7xbf16>) -> tensor<30x7xbf16>
  return %0 : tensor<30x7xbf16>
}

func.func @reverse_f32(%a: tensor<5x6x7xf32>) -> tensor<5x6x7xf32> {
  %0 = stablehlo.reverse %a, dims = [0, 2] : tensor<5x6x7xf32>
  return %0 : tensor<5x6x7xf32>
}

func.func @slice_f16(%a: tensor<9x16xf16>) -> tensor<3x7xf16> {
  %0 = stablehlo.slice %a [2:8:2, 1:15:2] : (tensor<9x16xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}

func.func @concatenate_f32(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func @broadcast_in_dim_f32(%a: tensor<4xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

func.func @pad_f32(%a: tensor<4x5xf32>, %b: tensor<f32>) -> tensor<9x6xf32> {
  %0 = stablehlo.pad %a, %b, low = [1, -1], high = [1, 2], interior = [1, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<9x6xf32>
  return %0 : tensor<9x6xf32>
}

func.func @dynamic_slice_f32(%a: tensor<9x8xf32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<3x2xf32> {
  %0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [3, 2] : (tensor<9x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @dynamic_update_slice_f32(%a: tensor<9x8xf32>, %b: tensor<3x2xf32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<9x8xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %c, %d : (tensor<9x8xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

func.func @gather_f32(%a: tensor<12x8xf32>, %b: tensor<5xi32>) -> tensor<5x8xf32> {
  %0 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false} : (tensor<12x8xf32>, tensor<5xi32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

func.func @scatter_add_f32(%a: tensor<12x8xf32>, %b: tensor<20xi32>, %c: tensor<20x8xf32>) -> tensor<12x8xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<12x8xf32>, tensor<20xi32>, tensor<20x8xf32>) -> tensor<12x8xf32>
  return %0 : tensor<12x8xf32>
}

func.func @reduce_add_f32(%a: tensor<24x100xf32>, %b: tensor<f32>) -> tensor<24xf32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<24x100xf32>, tensor<f32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

func.func @reduce_add_bf16(%a: tensor<24x100xbf16>, %b: tensor<bf16>) -> tensor<24xbf16> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<24x100xbf16>, tensor<bf16>) -> tensor<24xbf16>
  return %0 : tensor<24xbf16>
}

func.func @reduce_add_i32(%a: tensor<24x100xi32>, %b: tensor<i32>) -> tensor<24xi32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<24x100xi32>, tensor<i32>) -> tensor<24xi32>
  return %0 : tensor<24xi32>
}

func.func @reduce_multiply_f32(%a: tensor<24x9xf32>, %b: tensor<f32>) -> tensor<24xf32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [1] : (tensor<24x9xf32>, tensor<f32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

func.func @reduce_maximum_f16(%a: tensor<24x100xf16>, %b: tensor<f16>) -> tensor<24xf16> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] : (tensor<24x100xf16>, tensor<f16>) -> tensor<24xf16>
  return %0 : tensor<24xf16>
}

func.func @reduce_window_add_f32(%a: tensor<4x16x16xf32>, %b: tensor<f32>) -> tensor<4x14x14xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3>} : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<4x14x14xf32>
  return %0 : tensor<4x14x14xf32>
}

func.func @reduce_window_maximum_f32(%a: tensor<4x16x16xf32>, %b: tensor<f32>) -> tensor<4x14x14xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3>} : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<4x14x14xf32>
  return %0 : tensor<4x14x14xf32>
}

func.func @sort_f32(%a: tensor<6x50xf32>) -> tensor<6x50xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<6x50xf32>) -> tensor<6x50xf32>
  return %0 : tensor<6x50xf32>
}

func.func @iota_f32() -> tensor<4x9xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

func.func @fft_c64(%a: tensor<3x64xcomplex<f32>>) -> tensor<3x64xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [64] : (tensor<3x64xcomplex<f32>>) -> tensor<3x64xcomplex<f32>>
  return %0 : tensor<3x64xcomplex<f32>>
}

func.func @fft_r2c(%a: tensor<3x60xf32>) -> tensor<3x31xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = RFFT, length = [60] : (tensor<3x60xf32>) -> tensor<3x31xcomplex<f32>>
  return %0 : tensor<3x31xcomplex<f32>>
}

func.func @cholesky_f32(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %t = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %i = stablehlo.iota dim = 0 : tensor<5x5xi32>
  %j = stablehlo.iota dim = 1 : tensor<5x5xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %d = stablehlo.convert %e : (tensor<5x5xi1>) -> tensor<5x5xf32>
  %k = stablehlo.constant dense<64.0> : tensor<5x5xf32>
  %m = stablehlo.multiply %d, %k : tensor<5x5xf32>
  %p = stablehlo.add %t, %m : tensor<5x5xf32>
  %0 = "stablehlo.cholesky"(%p) {lower = true} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}
