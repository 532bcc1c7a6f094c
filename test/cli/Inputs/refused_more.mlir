// More programs that are parsed and refused later, each function for a different reason: see messages_refused.test.
func.func @tuple(%a: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.tuple %0 : tuple<tensor<4xf32>>
  return %1 : tuple<tensor<4xf32>>
}
func.func @blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
^bb1:
  return %a : tensor<4xf32>
}
func.func @topk(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
func.func @tridiagonal(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%a, %a, %a, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @lapack(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
}
func.func @makes_tuple(%a: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  return %0 : tuple<tensor<4xf32>>
}
func.func @takes_token(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %0 = stablehlo.custom_call @mine(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @sorted(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) {
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, sort = 83 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>)
  return %0#0, %0#2, %0#3, %0#1, %0#4, %0#5 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>
}
func.func @reflectors(%a: tensor<3x2xf32>, %t: tensor<2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = true, transpose = false}} : (tensor<3x2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @mine(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @triangle(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 77 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @factors(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
  return %0#0, %0#2 : tensor<2x2xf32>, tensor<i32>
}
