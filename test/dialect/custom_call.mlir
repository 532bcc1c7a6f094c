// custom_call: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @custom_call(
func.func @custom_call(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.custom_call @f(%{{[^ ,:)]+}}) {a.b = 1 : i32, api_version = 4 : i32, backend_config = {x = 1 : i32}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r0 = stablehlo.custom_call @f(%a) {a.b = 1 : i32, api_version = 4 : i32, backend_config = {x = 1 : i32}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.custom_call @"a b"() : () -> ()
  stablehlo.custom_call @"a b"() : () -> ()
  return
}

// -----

func.func @custom_call_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'operand_layouts' and 'result_layouts' must be given together}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = []} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @custom_call_layout(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must not repeat a number}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @custom_call_alias(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'operand_index' must be within [0, 1), got 1}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @unranked(
func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> {
  // CHECK: stablehlo.custom_call @f(%{{[^ ,:)]+}}) : (tensor<*xf32>) -> tensor<*xf32>
  %0 = stablehlo.custom_call @f(%a) : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @custom_call_layout_of_token(%t: !stablehlo.token) {
  // expected-error@+1 {{'operand_layouts' must be empty for '!stablehlo.token', which is not a tensor, got dense<[0, 1]> : tensor<2xindex>}}
  stablehlo.custom_call @f(%t) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @custom_call_alias_output(%a: tuple<tensor<1xf32>, tensor<2x3xf32>>) {
  // expected-error@+1 {{'output_tuple_indices' point outside the result, 'tuple<tensor<2x3xf32>>'}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<1xf32>, tensor<2x3xf32>>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

func.func @custom_call_alias_operand(%a: tuple<tensor<1xf32>, tensor<2x3xf32>>) {
  // expected-error@+1 {{'operand_tuple_indices' point outside operand 0, 'tuple<tensor<1xf32>, tensor<2x3xf32>>'}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [2]>]} : (tuple<tensor<1xf32>, tensor<2x3xf32>>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

func.func @custom_call_alias_type(%a: tuple<tensor<1xf32>, tensor<2x3xf32>>) {
  // expected-error@+1 {{an alias must have one type, got 'tensor<2x3xf32>' (result) and 'tensor<1xf32>' (operand)}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<1xf32>, tensor<2x3xf32>>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

// CHECK-LABEL: func.func @custom_call_alias_of_results(
func.func @custom_call_alias_of_results(%a: tuple<tuple<tensor<2xf32>>, tensor<3xf32>>) {
  // CHECK: stablehlo.custom_call @f
  %0:2 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [0, 0]>]} : (tuple<tuple<tensor<2xf32>>, tensor<3xf32>>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @custom_call_config_typed() {
  // expected-error@+1 {{'backend_config' of api_version API_VERSION_TYPED_FFI must be a dictionary, got "bar=42"}}
  stablehlo.custom_call @f() {api_version = 4 : i32, backend_config = "bar=42"} : () -> ()
  return
}

// -----

func.func @custom_call_config_text() {
  // expected-error@+1 {{'backend_config' of api_version API_VERSION_STATUS_RETURNING_UNIFIED must be a string, got {bar = 42 : i32}}}
  stablehlo.custom_call @f() {api_version = 3 : i32, backend_config = {bar = 42 : i32}} : () -> ()
  return
}
