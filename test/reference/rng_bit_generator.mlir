// RUN: assay test %s

func.func @rng_bit_generator_threefry_spec_example() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  check.expect_eq_const %next, dense<[1, 6]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>
  func.return
}

// The cases below expect JAX 0.10's results on the CPU.

func.func @rng_bit_generator_threefry_neighbours_share_a_block() {
  %state = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui32>)
  check.expect_eq_const %next, dense<[5, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4000641395, 1063621336], [10964293, 2057536082], [3804237681, 1604586794]]> : tensor<3x2xui32>
  func.return
}

func.func @rng_bit_generator_threefry_splits_the_largest_dimension_if_all_are_odd() {
  %state = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x5xui32>)
  check.expect_eq_const %next, dense<[5, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4000641395, 1063621336, 10964293, 2057536082, 3804237681]]> : tensor<1x5xui32>
  func.return
}

func.func @rng_bit_generator_threefry_narrow() {
  %state = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[5, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[115, 216, 69, 82, 113]> : tensor<5xui8>
  func.return
}

func.func @rng_bit_generator_philox() {
  %state = stablehlo.constant dense<[5, 7, 9]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[5, 9, 9]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[832693445, 132006561, 1697787879, 1890427150, 1417357930]> : tensor<5xui32>
  func.return
}

func.func @rng_bit_generator_philox_counter_of_two_words_has_the_key_above() {
  %state = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui64>)
  check.expect_eq_const %next, dense<[5, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[14169269631707533809, 12636950168311171751, 14822611576293642300]> : tensor<3xui64>
  func.return
}

func.func @rng_bit_generator_default_is_philox() {
  %state = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui16>)
  check.expect_eq_const %next, dense<[5, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[20977, 23464, 2727]> : tensor<3xui16>
  func.return
}

// The counter has 128 bits: the lower word carries into the upper one.
func.func @rng_bit_generator_philox_carries() {
  %state = stablehlo.constant dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[5, 1, 10]> : tensor<3xui64>
  func.return
}
