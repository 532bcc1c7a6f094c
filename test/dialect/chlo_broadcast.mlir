// the operations of chlo that broadcast: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chlo_broadcast(
func.func @chlo_broadcast(%add: tensor<2x3xf32>, %add_v: tensor<3xf32>, %atan2: tensor<2x3xf32>, %atan2_v: tensor<3xf32>, %divide: tensor<2x3xf32>, %divide_v: tensor<3xf32>, %maximum: tensor<2x3xf32>, %maximum_v: tensor<3xf32>, %minimum: tensor<2x3xf32>, %minimum_v: tensor<3xf32>, %multiply: tensor<2x3xf32>, %multiply_v: tensor<3xf32>, %next_after: tensor<2x3xf32>, %next_after_v: tensor<3xf32>, %polygamma: tensor<2x3xf32>, %polygamma_v: tensor<3xf32>, %power: tensor<2x3xf32>, %power_v: tensor<3xf32>, %remainder: tensor<2x3xf32>, %remainder_v: tensor<3xf32>, %subtract: tensor<2x3xf32>, %subtract_v: tensor<3xf32>, %zeta: tensor<2x3xf32>, %zeta_v: tensor<3xf32>, %and: tensor<2x3xi32>, %and_v: tensor<3xi32>, %or: tensor<2x3xi32>, %or_v: tensor<3xi32>, %xor: tensor<2x3xi32>, %xor_v: tensor<3xi32>, %shift_left: tensor<2x3xi32>, %shift_left_v: tensor<3xi32>, %shift_right_arithmetic: tensor<2x3xi32>, %shift_right_arithmetic_v: tensor<3xi32>, %shift_right_logical: tensor<2x3xi32>, %shift_right_logical_v: tensor<3xi32>, %x: tensor<2x3xf32>, %y: tensor<2xf32>, %c: tensor<2x3xf32>, %p: tensor<2x1xi1>, %t: tensor<2x3xf32>, %f: tensor<f32>) {
  // CHECK: chlo.broadcast_add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r0 = chlo.broadcast_add %add, %add_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r1 = chlo.broadcast_atan2 %atan2, %atan2_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_divide %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r2 = chlo.broadcast_divide %divide, %divide_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r3 = chlo.broadcast_maximum %maximum, %maximum_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r4 = chlo.broadcast_minimum %minimum, %minimum_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r5 = chlo.broadcast_multiply %multiply, %multiply_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_next_after %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r6 = chlo.broadcast_next_after %next_after, %next_after_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_polygamma %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r7 = chlo.broadcast_polygamma %polygamma, %polygamma_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_power %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r8 = chlo.broadcast_power %power, %power_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_remainder %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r9 = chlo.broadcast_remainder %remainder, %remainder_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_subtract %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r10 = chlo.broadcast_subtract %subtract, %subtract_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_zeta %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r11 = chlo.broadcast_zeta %zeta, %zeta_v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r12 = chlo.broadcast_and %and, %and_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_or %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r13 = chlo.broadcast_or %or, %or_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_xor %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r14 = chlo.broadcast_xor %xor, %xor_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_left %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r15 = chlo.broadcast_shift_left %shift_left, %shift_left_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_right_arithmetic %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r16 = chlo.broadcast_shift_right_arithmetic %shift_right_arithmetic, %shift_right_arithmetic_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_right_logical %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %r17 = chlo.broadcast_shift_right_logical %shift_right_logical, %shift_right_logical_v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xcomplex<f32>>
  %r18 = chlo.broadcast_complex %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xcomplex<f32>>
  // CHECK: chlo.broadcast_compare %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %r19 = chlo.broadcast_compare %c, %c {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: chlo.broadcast_select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r20 = chlo.broadcast_select %p, %t, %f : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_sizes(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{operands do not broadcast: dimension 1 of the result has sizes 3 and 2}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_result(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{result must have shape [2, 3], got [3]}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_elements(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{must have one element type}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_dimensions_range(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' must be within [0, 2)}}
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}
