// send: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @send(
func.func @send(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  // CHECK: "stablehlo.send"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %r0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c1(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{must have shape [1, 2]}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c2(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{sources of}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c5(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{channel type must be 2 where 'is_host_transfer' is true, got 3}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
