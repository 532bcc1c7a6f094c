// Programs that are parsed and refused later, each function for a different reason: see messages_run.test.
func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> { return %a : tensor<*xf32> }
func.func @element(%a: tensor<2xf80>) -> tensor<2xf80> { return %a : tensor<2xf80> }
func.func @vectors(%a: tensor<2xvector<2xf32>>) -> tensor<2xvector<2xf32>> { return %a : tensor<2xvector<2xf32>> }
func.func @zero(%a: tensor<2x!quant.uniform<i8:f32, 1.0:300>>) -> tensor<2x!quant.uniform<i8:f32, 1.0:300>> { return %a : tensor<2x!quant.uniform<i8:f32, 1.0:300>> }
func.func @many(%a: tensor<1152921504606846976xi8>) -> tensor<1152921504606846976xi8> { return %a : tensor<1152921504606846976xi8> }
func.func @resource() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<nope> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @sparse() -> tensor<2xf32> {
  %0 = stablehlo.constant sparse<[[0]], [1.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @scales(%a: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>> { return %a : tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>> }
func.func @dyn(%a: tensor<2xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @root(%a: tensor<2xf32>, %r: tensor<1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%a, %r) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>, has_dynamic_root}> : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @dslice(%a: tensor<4xf32>, %s: tensor<1xi64>, %l: tensor<1xi64>) -> tensor<2xf32> {
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %s : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @dpad(%a: tensor<2xf32>, %c: tensor<f32>, %l: tensor<1xi64>) -> tensor<3xf32> {
  %0 = stablehlo.dynamic_pad %a, %c, %l, %l, %l : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @dgather(%a: tensor<4xf32>, %i: tensor<1xi32>, %n: tensor<1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @dconv(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>, %p: tensor<1x2xi64>) -> tensor<1x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xf32>, tensor<1x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}
func.func @rngstate(%s: tensor<?xui64>) -> (tensor<?xui64>, tensor<2xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<?xui64>) -> (tensor<?xui64>, tensor<2xui32>)
  return %0, %1 : tensor<?xui64>, tensor<2xui32>
}
func.func @promote(%a: tensor<2xf32>, %i: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @probe(%a: tensor<2xf32>) -> tensor<2xf32> {
  %1 = interpreter.probe %a, probe_id = "p" : tensor<2xf32>
  return %1 : tensor<2xf32>
}
