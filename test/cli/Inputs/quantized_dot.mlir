// A float input quantised per tensor, times weights quantised per column, and the result in 8 bits again.
!activation = !quant.uniform<i8:f32, 0.05:-20>
!weight = !quant.uniform<i8<-127:127>:f32:1, {0.01,0.02,0.04}>
!sum = !quant.uniform<i32:f32:1, {5.0e-4,1.0e-3,2.0e-3}>
!result = !quant.uniform<i8:f32, 0.1:3>
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x3x!result> {
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!activation>
  %w = stablehlo.constant() {value = dense<[[100, -50, 25], [10, 20, 30]]> : tensor<2x3xi8>} : () -> tensor<2x3x!weight>
  %s = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<2x2x!activation>, tensor<2x3x!weight>) -> tensor<2x3x!sum>
  %r = stablehlo.uniform_quantize %s : (tensor<2x3x!sum>) -> tensor<2x3x!result>
  func.return %r : tensor<2x3x!result>
}
