// constant: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: stablehlo.constant {a.b = 1 : i32} dense<true> : tensor<i1>
  %r1 = stablehlo.constant {a.b = 1 : i32} dense<true> : tensor<i1>
  // CHECK: stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %r2 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  // CHECK: stablehlo.constant() <{value = dense<3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %r3 = stablehlo.constant() <{value = dense<3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{does not have the shape of the result}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<3xi64>
  return
}

// -----

func.func @constant_c1_element() {
  // expected-error@+1 {{does not have the element type of the result}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<2xi32>
  return
}
