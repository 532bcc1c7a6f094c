// RUN: assay test %s

func.func @replica_id_of_a_program_that_runs_alone() {
  %id = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %id, dense<0> : tensor<ui32>
  func.return
}
