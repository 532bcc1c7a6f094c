// infeed: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @infeed(
func.func @infeed(%t: !stablehlo.token) {
  // CHECK: "stablehlo.infeed"(%{{[^ ,:)]+}}) <{infeed_config = "c"}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r0:2 = "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @infeed_c1(%t: !stablehlo.token) {
  // expected-error@+1 {{needs at least one result}}
  "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> ()
  return
}

// -----

func.func @infeed_c2(%t: !stablehlo.token) {
  // expected-error@+1 {{results before the last must be tensors}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @infeed_c3(%t: !stablehlo.token) {
  // expected-error@+1 {{last result must be a token}}
  %0 = "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> tensor<2xf32>
  return
}

// -----

func.func @infeed_layout_size(%t: !stablehlo.token) {
  // expected-error@+1 {{'layout' must have 1 elements, got 2}}
  %r0:2 = "stablehlo.infeed"(%t) <{layout = [[0], [0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @infeed_layout_list(%t: !stablehlo.token) {
  // expected-error@+1 {{'layout' must hold lists of numbers, got 0 : i64}}
  %r0:2 = "stablehlo.infeed"(%t) <{layout = [0]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @infeed_layout_number(%t: !stablehlo.token) {
  // expected-error@+1 {{'layout' must hold lists of numbers, got [0, []]}}
  %r0:2 = "stablehlo.infeed"(%t) <{layout = [[0, []]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
