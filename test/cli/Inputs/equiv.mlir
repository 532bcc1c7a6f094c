func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = stablehlo.add %x, %y : tensor<4x8xf32>
  %b = stablehlo.exponential %a : tensor<4x8xf32>
  %c = stablehlo.subtract %b, %x : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
func.func @exps(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = stablehlo.exponential %x : tensor<4x8xf32>
  %b = stablehlo.exponential %y : tensor<4x8xf32>
  %c = stablehlo.multiply %b, %a : tensor<4x8xf32>
  %d = stablehlo.subtract %c, %x : tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}
func.func @swapped(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = stablehlo.add %x, %y : tensor<4x8xf32>
  %b = stablehlo.exponential %a : tensor<4x8xf32>
  %c = stablehlo.subtract %x, %b : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
func.func @rounded(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = stablehlo.add %x, %y : tensor<4x8xf32>
  %h = stablehlo.convert %a : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %w = stablehlo.convert %h : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %b = stablehlo.exponential %w : tensor<4x8xf32>
  %c = stablehlo.subtract %b, %x : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
func.func @one(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
func.func @shorter(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
func.func @complex(%x: tensor<1x4x4x1xcomplex<f32>>, %y: tensor<3x3x1x1xcomplex<f32>>) -> tensor<1x2x2x1xcomplex<f32>> {
  %r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {
    batch_group_count = 1 : i64, feature_group_count = 1 : i64
  } : (tensor<1x4x4x1xcomplex<f32>>, tensor<3x3x1x1xcomplex<f32>>) -> tensor<1x2x2x1xcomplex<f32>>
  return %r : tensor<1x2x2x1xcomplex<f32>>
}
func.func @by_quotient(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<7.0> : tensor<4x8xf32>
  %a = stablehlo.divide %x, %c : tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}
func.func @by_factor(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0.142857149> : tensor<4x8xf32>
  %a = stablehlo.multiply %x, %c : tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}
