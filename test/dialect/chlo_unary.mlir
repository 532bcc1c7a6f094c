// the functions of one operand of chlo: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chlo_unary(
func.func @chlo_unary(%acos: tensor<2x3xf32>, %acosh: tensor<2x3xf32>, %asin: tensor<2x3xf32>, %asinh: tensor<2x3xf32>, %atan: tensor<2x3xf32>, %atanh: tensor<2x3xf32>, %bessel_i1e: tensor<2x3xf32>, %conj: tensor<2x3xf32>, %cosh: tensor<2x3xf32>, %sinh: tensor<2x3xf32>, %square: tensor<2x3xf32>, %tan: tensor<2x3xf32>, %digamma: tensor<2x3xf32>, %erf: tensor<2x3xf32>, %erf_inv: tensor<2x3xf32>, %erfc: tensor<2x3xf32>, %lgamma: tensor<2x3xf32>, %is_inf: tensor<2x3xf32>, %is_neg_inf: tensor<2x3xf32>, %is_pos_inf: tensor<2x3xf32>, %k: tensor<2x3xcomplex<f32>>) {
  // CHECK: chlo.acos %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r0 = chlo.acos %acos : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.acosh %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r1 = chlo.acosh %acosh : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.asin %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r2 = chlo.asin %asin : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.asinh %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r3 = chlo.asinh %asinh : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.atan %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r4 = chlo.atan %atan : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.atanh %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r5 = chlo.atanh %atanh : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.bessel_i1e %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r6 = chlo.bessel_i1e %bessel_i1e : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.conj %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r7 = chlo.conj %conj : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.cosh %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r8 = chlo.cosh %cosh : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.sinh %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r9 = chlo.sinh %sinh : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.square %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r10 = chlo.square %square : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.tan %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r11 = chlo.tan %tan : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.digamma %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r12 = chlo.digamma %digamma : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erf %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r13 = chlo.erf %erf : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erf_inv %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r14 = chlo.erf_inv %erf_inv : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erfc %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r15 = chlo.erfc %erfc : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.lgamma %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %r16 = chlo.lgamma %lgamma : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.is_inf %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %r17 = chlo.is_inf %is_inf : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: chlo.is_neg_inf %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %r18 = chlo.is_neg_inf %is_neg_inf : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: chlo.is_pos_inf %{{[^ ,:)]+}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %r19 = chlo.is_pos_inf %is_pos_inf : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: chlo._asin_acos_kernel %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %r20 = chlo._asin_acos_kernel %k : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  return
}

// -----

func.func @erf_type(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{must be tensor of floating-point numbers}}
  %0 = chlo.erf %a : tensor<2x3xi32> -> tensor<2x3xi32>
  return
}

// -----

func.func @tan_shape(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape and element type}}
  %0 = chlo.tan %a : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @is_inf_shape(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{same shape}}
  %0 = chlo.is_inf %a : tensor<2x3xf32> -> tensor<2xi1>
  return
}
