// Annotations (the value itself), the largest elements, and checks that are written as calls.
// RUN: assay test %s

func.func @custom_call_checks_and_sharding() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %c = stablehlo.constant dense<[1.0, 2.0001]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%a, %c) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %same = stablehlo.custom_call @check.eq(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  check.expect_eq_const %same, dense<true> : tensor<i1>
  func.return
}

func.func @custom_call_annotations() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true} : (tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.custom_call @MoveToHost(%0) : (tensor<2xi32>) -> tensor<2xi32>
  %2 = stablehlo.custom_call @MoveToDevice(%1) : (tensor<2xi32>) -> tensor<2xi32>
  %3 = stablehlo.custom_call @LayoutConstraint(%2) : (tensor<2xi32>) -> tensor<2xi32>
  %4 = stablehlo.custom_call @SPMDFullToShardShape(%3) : (tensor<2xi32>) -> tensor<2xi32>
  %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) : (tensor<2xi32>) -> tensor<2xi32>
  %6 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%5) : (tensor<2xi32>) -> tensor<2xi32>
  %7 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%6) : (tensor<2xi32>) -> tensor<2xi32>
  %shape = stablehlo.constant dense<2> : tensor<1xi64>
  %8 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%7, %shape) : (tensor<2xi32>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %8, dense<[1, 2]> : tensor<2xi32>
  func.return
}

func.func @smaller(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  func.return %0 : tensor<i1>
}

// Along dimension 0; equal elements keep their order, NaN is last.
func.func @custom_call_approx_top_k() {
  %x = stablehlo.constant dense<[[3.0, 0x7FC00000], [1.0, 5.0], [1.0, -2.0]]> : tensor<3x2xf32>
  %i = stablehlo.iota dim = 0 : tensor<3x2xi32>
  %init = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %init, %none) {called_computations = [@smaller], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}}
    : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[1.0, -2.0], [1.0, 5.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[1, 2], [2, 1]]> : tensor<2x2xi32>
  func.return
}

func.func @custom_call_approx_top_k_of_several_lines() {
  %x = stablehlo.constant dense<[[3.0, 1.0, 2.0], [6.0, 5.0, 4.0], [7.0, 9.0, 8.0]]> : tensor<3x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %init = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %init, %none) {called_computations = [@smaller], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64}}
    : (tensor<3x3xf32>, tensor<3x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  check.expect_eq_const %0#0, dense<[[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]]> : tensor<3x2xf32>
  check.expect_eq_const %0#1, dense<[[1, 2], [2, 1], [0, 2]]> : tensor<3x2xi32>
  func.return
}

func.func @custom_call_mhlo_topk() {
  %x = stablehlo.constant dense<[[3, 9, 9007199254740993, 9007199254740992]]> : tensor<1x4xi64>
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64}
    : (tensor<1x4xi64>) -> (tensor<1x2xi64>, tensor<1x2xi32>)
  check.expect_eq_const %0#0, dense<[[9007199254740993, 9007199254740992]]> : tensor<1x2xi64>
  check.expect_eq_const %0#1, dense<[[2, 3]]> : tensor<1x2xi32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = false}, mhlo.version = 1 : i64}
    : (tensor<1x4xi64>) -> (tensor<1x1xi64>, tensor<1x1xi32>)
  check.expect_eq_const %1#0, dense<3> : tensor<1x1xi64>
  func.return
}

// LAPACK by its own convention: column-major where the call says so, row-major (the transposed matrix) by default.
func.func @custom_call_lapack_cholesky() {
  %a = stablehlo.constant dense<[[4.0, 7.0], [2.0, 10.0]]> : tensor<2x2xf64>
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}
    : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[2.0, 7.0], [1.0, 3.0]]> : tensor<2x2xf64>
  check.expect_eq_const %0#1, dense<0> : tensor<i32>
  %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {backend_config = {uplo = 85 : ui8}, api_version = 4 : i32}
    : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
  check.expect_eq_const %1#0, dense<[[2.0, 7.0], [1.0, 3.0]]> : tensor<2x2xf64>
  func.return
}

// A batch: the second matrix is not positive definite, and its info shows where.
func.func @custom_call_lapack_batch() {
  %a = stablehlo.constant dense<[[[(4.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (9.0, 0.0)]], [[(4.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (-9.0, 0.0)]]]> : tensor<2x2x2xcomplex<f32>>
  %0:2 = stablehlo.custom_call @lapack_cpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}
    : (tensor<2x2x2xcomplex<f32>>) -> (tensor<2x2x2xcomplex<f32>>, tensor<2xi32>)
  check.expect_eq_const %0#1, dense<[0, 2]> : tensor<2xi32>
  %first = stablehlo.slice %0#0 [0:1, 0:2, 0:2] : (tensor<2x2x2xcomplex<f32>>) -> tensor<1x2x2xcomplex<f32>>
  %real = stablehlo.real %first : (tensor<1x2x2xcomplex<f32>>) -> tensor<1x2x2xf32>
  check.expect_eq_const %real, dense<[[[2.0, 0.0], [0.0, 3.0]]]> : tensor<1x2x2xf32>
  func.return
}

// The matrix's other half is not read; alpha is one.
func.func @custom_call_lapack_triangle() {
  %a = stablehlo.constant dense<[[2.0, 99.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf32>
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
    : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  func.return
}

// 2 1 0 | 1 2 1 | 0 1 2 times (1, -1, 1), by hand.
func.func @tridiagonal_solve_perturbed_ffi() {
  %lower = stablehlo.constant dense<[0.0, 1.0, 1.0]> : tensor<3xf64>
  %middle = stablehlo.constant dense<2.0> : tensor<3xf64>
  %upper = stablehlo.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf64>
  %b = stablehlo.constant dense<[[1.0], [0.0], [1.0]]> : tensor<3x1xf64>
  %x = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%lower, %middle, %upper, %b) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  check.expect_almost_eq_const %x, dense<[[1.0], [-1.0], [1.0]]> : tensor<3x1xf64>
  func.return
}
