// recv: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @recv(
func.func @recv(%t: !stablehlo.token) {
  // CHECK: "stablehlo.recv"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @recv_c5(%t: !stablehlo.token) {
  // expected-error@+1 {{channel type must be 1}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @recv_token(%t: !stablehlo.token) {
  // expected-error@+1 {{last result must be a token}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> tensor<2xf32>
  return
}
