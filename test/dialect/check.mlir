// the check dialect: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @check(
func.func @check(%a: tensor<2x3xf32>, %b: tensor<2xi32>, %c: tensor<2x3xf32>, %d: tensor<2x3xf32>, %e: tensor<2xf32>, %f: tensor<2x3xf32>, %g: tensor<2x3xf32>, %h: tensor<2x3xf32>) {
  // CHECK: check.expect_eq %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>
  check.expect_eq %a, %a : tensor<2x3xf32>
  // CHECK: check.expect_eq_const %{{[^ ,:)]+}}, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %b, dense<[1, 2]> : tensor<2xi32>
  // CHECK: check.expect_almost_eq %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, tolerance = 1.000000e-03 : tensor<2x3xf32>
  check.expect_almost_eq %c, %c, tolerance = 1.000000e-03 : tensor<2x3xf32>
  // CHECK: check.expect_almost_eq %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xf32>
  check.expect_almost_eq %d, %d : tensor<2x3xf32>
  // CHECK: check.expect_almost_eq_const %{{[^ ,:)]+}}, dense<1.000000e+00> : tensor<2xf32>
  check.expect_almost_eq_const %e, dense<1.000000e+00> : tensor<2xf32>
  // CHECK: check.expect_close %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, max_ulp_difference = 3 : tensor<2x3xf32>, tensor<2x3xf32>
  check.expect_close %f, %f, max_ulp_difference = 3 : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: check.expect_close %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
  check.expect_close %g, %g, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: check.expect_serialized_eq %{{[^ ,:)]+}}, probe_id = "p", iter = 2 : tensor<2x3xf32>
  check.expect_serialized_eq %h, probe_id = "p", iter = 2 : tensor<2x3xf32>
  return
}

// -----

func.func @expect_eq_types(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{compares values of different types}}
  "check.expect_eq"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xi32>) -> ()
  return
}

// -----

func.func @expect_eq_const_types(%a: tensor<3xi32>) {
  // expected-error@+1 {{compares values of different types}}
  "check.expect_eq_const"(%a) <{value = dense<1> : tensor<2xi32>}> : (tensor<3xi32>) -> ()
  return
}

// -----

func.func @expect_close_types(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{compares values of different types}}
  check.expect_close %a, %b, max_ulp_difference = 1 : tensor<2x3xf32>, tensor<2xf32>
  return
}
