// RUN: assay test %s

func.func @bitcast_convert_changes_the_width_low_bits_first() {
  %wide = stablehlo.constant dense<[0x01234567, 0x7F800000]> : tensor<2xi32>
  %narrow = stablehlo.bitcast_convert %wide : (tensor<2xi32>) -> tensor<2x4xui8>
  check.expect_eq_const %narrow, dense<[[103, 69, 35, 1], [0, 0, 128, 127]]> : tensor<2x4xui8>
  %back = stablehlo.bitcast_convert %narrow : (tensor<2x4xui8>) -> tensor<2xf32>
  check.expect_eq_const %back, dense<[2.99881655E-38, 0x7F800000]> : tensor<2xf32>
  %byte = stablehlo.constant dense<0xA5> : tensor<ui8>
  %bits = stablehlo.bitcast_convert %byte : (tensor<ui8>) -> tensor<8xi1>
  check.expect_eq_const %bits, dense<[true, false, true, false, false, true, false, true]> : tensor<8xi1>
  %nibbles = stablehlo.bitcast_convert %byte : (tensor<ui8>) -> tensor<2xi4>
  check.expect_eq_const %nibbles, dense<[5, -6]> : tensor<2xi4>
  %again = stablehlo.bitcast_convert %nibbles : (tensor<2xi4>) -> tensor<ui8>
  check.expect_eq %again, %byte : tensor<ui8>
  func.return
}
