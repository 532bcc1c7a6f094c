// rng_bit_generator: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rng_bit_generator(
func.func @rng_bit_generator(%s: tensor<2xui64>, %r: tensor<2xui64>) {
  // CHECK: stablehlo.rng_bit_generator %{{[^ ,:)]+}}, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %r0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // CHECK: stablehlo.rng_bit_generator %{{[^ ,:)]+}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %r1:2 = stablehlo.rng_bit_generator %r, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_bit_generator_c1(%s: tensor<2xui64>) {
  // expected-error@+1 {{'output_state' must have type}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_bit_generator_c2(%s: tensor<3xui64>) {
  // expected-error@+1 {{state of THREE_FRY must have 128 bits, got 192}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_bit_generator_c2_philox(%s: tensor<1xui64>) {
  // expected-error@+1 {{state of PHILOX must have 128 or 192 bits, got 64}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<1xui64>) -> (tensor<1xui64>, tensor<4xui32>)
  return
}

// -----

// CHECK-LABEL: func.func @a_state_of_floats(
func.func @a_state_of_floats(%s: tensor<2xf32>) {
  // CHECK: stablehlo.rng_bit_generator
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xui32>)
  return
}
