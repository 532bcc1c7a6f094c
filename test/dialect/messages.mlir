// Messages of parsing and of the constraints that no operation's own file has, each provoked once.
// RUN: assay-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// expected-error@+1 {{missing field 'mode'}}
func.func @accuracy_without_mode() attributes {a = #stablehlo.result_accuracy<ulps = 2>} { return }

// -----

// expected-error@+1 {{unknown attribute 'nosuch' of dialect 'stablehlo'}}
func.func @unknown_attribute() attributes {a = #stablehlo.nosuch<1>} { return }

// -----

// expected-error@+1 {{dimension 0 has a static size and a bound}}
func.func @bound_of_static(%a: tensor<4xf32, #stablehlo.bounds<4>>) { return }

// -----

// expected-error@+1 {{expected a mesh axis}}
func.func @mesh_axis() attributes {m = #stablehlo.mesh<axes = [1 : i32]>} { return }

// -----

// expected-error@+1 {{missing field 'lhs_component_count'}}
func.func @field() attributes {m = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32>} { return }

// -----

// expected-error@+1 {{bound of dimension 0 is negative}}
func.func @negative_bound(%a: tensor<?xf32, #stablehlo.bounds<-4>>) { return }

// -----

func.func @einsum_letters(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'einsum_config' must name dimensions by letters, got '1'}}
  %0 = stablehlo.einsum %a, %b, config = "a1,1c->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @einsum_operands(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'einsum_config' must describe 2 operands, got 1}}
  %0 = stablehlo.einsum %a, %b, config = "ab->ab" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_output(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{output label 'z' of 'einsum_config' is in no operand}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->az" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @einsum_repeated(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{output label 'a' of 'einsum_config' is repeated}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->aa" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @operand_types(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected 2 operand types, got 1}}
  %0 = stablehlo.add %a, %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @result_types(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected one result type, got 2}}
  %0 = stablehlo.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @complex_type(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected a tensor of complex numbers}}
  %0 = stablehlo.complex %a, %a : tensor<2xf32>
  return
}

// -----

func.func @select_types(%p: tensor<2xi1>, %a: tensor<2xf32>) {
  // expected-error@+1 {{expected a function type, or the types of pred and result}}
  %0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @tuple_type(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected a tuple type}}
  %0 = stablehlo.tuple %a : tensor<2xf32>
  return
}

// -----

func.func @float_format(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected a format such as e5m10, got m10e5}}
  %0 = stablehlo.reduce_precision %a, format = m10e5 : tensor<2xf32>
  return
}

// -----

func.func @dimension_roles(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>) {
  // expected-error@+1 {{expected dimensions 'b' and 'f'}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @spatial_dimensions(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>) {
  // expected-error@+1 {{expected spatial dimensions 0 to 0, each once}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @window_attribute(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>) {
  // expected-error@+1 {{unknown or repeated window attribute 'stride'}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @padding_of_two_kinds(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>) {
  // expected-error@+1 {{'window_strides' must be positive, got 0}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @negative_padding(%a: tensor<1x4x1xf32>, %k: tensor<1x1x1xf32>) {
  // expected-error@+1 {{negative padding exceeds the size of the dimension, 4}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-3, -2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x0x1xf32>
  return
}

// -----

func.func @reduce_types(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected the types of inputs and init values}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : () -> tensor<2xf32>
  return
}

// -----

func.func @scatter_updates(%a: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1x1xf32>) {
  // expected-error@+1 {{updates must have rank 1, got 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2x1x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_stride(%a: tensor<4xf32>) {
  // expected-error@+1 {{stride of dimension 0 must be positive, got 0}}
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 4>, strides = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @probe_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{returns 'tensor<4xf64>' for an operand of type 'tensor<4xf32>'}}
  %0 = "interpreter.probe"(%a) <{probe_id = "p"}> : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func private @f()
func.func @infeed() {
  // expected-error@+1 {{attribute 'infeed' must be left out or name a function}}
  "interpreter.run_parallel"() <{programs = [[@f]], infeed = []}> : () -> ()
  return
}

// -----

func.func @sharding_token(%a: tensor<4xf32>) {
  // expected-error@+1 {{unexpected token in a sharding}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, *]> : tensor<4xf32>
  return
}

// -----

func.func @sharding_bracket(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a bracket}}
  %0 = sdy.sharding_constraint %a @mesh : tensor<4xf32>
  return
}

// -----

func.func @region_return(%a: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{region 'body' must end with stablehlo.return}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "test.end"() : () -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @region_values(%a: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{arguments of region 'body': type of value 1 must be 'tensor<f32>', got 'tensor<f64>'}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f64>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @dynamic_root(%a: tensor<4xf32>, %r: tensor<2xi32>) {
  // expected-error@+1 {{last operand must be tensor<1xi32>, the roots, got 'tensor<2xi32>'}}
  %0 = "stablehlo.collective_broadcast"(%a, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @pairs(%a: tensor<4xf32>) {
  // expected-error@+1 {{'source_target_pairs' must be 2-dimensional, got 'tensor<2xi64>'}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{compare type SIGNED does not fit element type 'f32'}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @index_type(%a: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{'index' must be a tensor of integers, got 'tensor<2xf32>'}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @index_batch(%a: tensor<4x3xf32>, %i: tensor<5x2xi32>) {
  // expected-error@+1 {{operand and index must agree in their first 1 dimensions}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<4x3xf32>, tensor<5x2xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @transpose_a(%a: tensor<4x4xf32>) {
  // expected-error@+1 {{'transpose_a' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT}}
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @element_widths(%a: tensor<4xf4E2M1FN>) {
  // expected-error@+1 {{element widths must divide each other, got 4 and 6 bits}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<4xf4E2M1FN>) -> tensor<4xf6E2M3FN>
  return
}

// -----

func.func @layout_rank(%a: tensor<4x3xf32>) {
  // expected-error@+1 {{'operand_layouts' must name 2 dimensions, got 'tensor<1xindex>'}}
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @fft_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{RFFT does not turn 'f32' into 'f32'}}
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @expressed(%a: tensor<4xf64>) {
  // expected-error@+1 {{result must express 'f64', got '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %0 = stablehlo.uniform_quantize %a : (tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return
}
