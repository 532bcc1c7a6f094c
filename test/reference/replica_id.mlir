// RUN: assay test %s

func.func @replica_id_of_a_program_that_runs_alone() {
  %id = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %id, dense<0> : tensor<ui32>
  func.return
}

// -----

module @grid {
  func.func @process() -> tensor<ui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func @main() {
    %r:6 = "interpreter.run_parallel"() {programs = [[@process, @process, @process], [@process, @process, @process]]}
        : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#0, dense<0> : tensor<ui32>
    check.expect_eq_const %r#1, dense<0> : tensor<ui32>
    check.expect_eq_const %r#2, dense<0> : tensor<ui32>
    check.expect_eq_const %r#3, dense<1> : tensor<ui32>
    check.expect_eq_const %r#4, dense<1> : tensor<ui32>
    check.expect_eq_const %r#5, dense<1> : tensor<ui32>
    return
  }
}
