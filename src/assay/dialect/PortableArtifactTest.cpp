// Programs written as portable artifacts (VHLO) and read back. Their attributes
// have a different value on each side, so that a mix-up would show.
// Upstream's reader and writer are tested in test/python/test_serialize.py.
#include "assay/dialect/Register.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/support/Error.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace {

class PortableArtifact : public testing::TestWithParam<const char *> {
protected:
  PortableArtifact()
      : registry_(allDialects()),
        context_(registry_, mlir::MLIRContext::Threading::DISABLED) {}

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = assay::parseProgramText(text, "p.mlir", context_);
    if (module)
      return std::move(*module);
    ADD_FAILURE() << assay::takeError(module.takeError()).message;
    return {};
  }

  static std::string printed(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out);
    return text;
  }

private:
  static mlir::DialectRegistry allDialects() {
    mlir::DialectRegistry registry;
    assay::registerAllDialects(registry);
    return registry;
  }
  mlir::DialectRegistry registry_;
  mlir::MLIRContext context_;
};

TEST_P(PortableArtifact, ReadsBackAsItWas) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(GetParam());
  ASSERT_TRUE(module);
  std::string bytes, before = printed(*module);
  llvm::raw_string_ostream out(bytes);
  ASSERT_TRUE(
      mlir::succeeded(assay::vhlo::serialize(*module, std::nullopt, out)));
  mlir::OwningOpRef<mlir::ModuleOp> back = parse(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(printed(*back), before);
}

INSTANTIATE_TEST_SUITE_P(Programs, PortableArtifact, testing::Values(
R"mlir(func.func @products(%a: tensor<2x3x4x5xf32>, %b: tensor<5x3x2x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [2, 1],
      contracting_dims = [3] x [0], precision = [HIGHEST, DEFAULT]
      : (tensor<2x3x4x5xf32>, tensor<5x3x2x6xf32>) -> tensor<2x3x4x6xf32>
  return %0 : tensor<2x3x4x6xf32>
})mlir",
R"mlir(func.func @algorithm(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
      algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN,
        accumulation_type = f32, lhs_component_count = 1,
        rhs_component_count = 1, num_primitive_operations = 1,
        allow_imprecise_accumulation = true>
      : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
      algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16,
        accumulation_type = f32, lhs_component_count = 1,
        rhs_component_count = 1, num_primitive_operations = 6,
        allow_imprecise_accumulation = false>
      : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
})mlir",
R"mlir(func.func @windows(%a: tensor<1x8x9x4xf32>, %k: tensor<3x2x2x8xf32>) -> tensor<1x4x10x8xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 1], pad = [[1, 0], [2, 1]],
                rhs_dilate = [1, 2], reverse = [false, true]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64,
       precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}
      : (tensor<1x8x9x4xf32>, tensor<3x2x2x8xf32>) -> tensor<1x4x10x8xf32>
  return %0 : tensor<1x4x10x8xf32>
})mlir",
R"mlir(func.func @pooling(%a: tensor<4x9xf32>, %z: tensor<f32>) -> tensor<7x5xf32> {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 3>,
      window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>,
      padding = dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
})mlir",
R"mlir(func.func @collectives(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %9 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 8, type = 0>}>
      : (tensor<2xf32>) -> tensor<4xf32>
  %2 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}>
      : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<4xf32>, tensor<2xf32>
})mlir",
R"mlir(func.func @constants() -> (tensor<9xi1>, tensor<3xi1>, tensor<2x5xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<3xi4>, tensor<2xui8>) {
  %0 = stablehlo.constant dense<[true, false, false, true, true, false, true, false, true]> : tensor<9xi1>
  %1 = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %2 = stablehlo.constant dense<true> : tensor<2x5xi1>
  %3 = stablehlo.constant dense<[1.0, -2.5, 0x7FC0]> : tensor<3xbf16>
  %4 = stablehlo.constant dense<[(1.0, -2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %5 = stablehlo.constant dense<[-8, 7, 1]> : tensor<3xi4>
  %6 = stablehlo.constant dense<[255, 3]> : tensor<2xui8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<9xi1>, tensor<3xi1>, tensor<2x5xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<3xi4>, tensor<2xui8>
})mlir",
R"mlir(func.func @quantised(%a: tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>, %b: tensor<2x!quant.uniform<u8:f32, 2.500000e-01:128>>,
    %c: tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {1.000000e+00:1, 2.000000e+00:-5, 4.000000e+00}>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})mlir",
R"mlir(func.func @indices(%a: tensor<4x5xf32>, %i: tensor<3x2xi32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<4x5xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 2>, indices_are_sorted = true}> : (tensor<4x5xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
  %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>,
      unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<4x5xf32>
})mlir",
R"mlir(func.func @others(%a: tensor<3x3xf32>, %b: tensor<3x1xf32>, %t: !stablehlo.token) -> (tensor<3x1xf32>, tensor<3x3xi1>, tensor<3x2xcomplex<f32>>, tensor<3x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %1 = stablehlo.compare GE, %a, %a, TOTALORDER : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi1>
  %2 = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<3x3xf32>) -> tensor<3x2xcomplex<f32>>
  %3 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %9 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %4 = stablehlo.reduce_precision %3, format = e5m10 : tensor<3x3xf32>
  %5 = stablehlo.constant dense<1.5> : tensor<f32>
  %6 = stablehlo.pad %4, %5, low = [1, 0], high = [-1, 2], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x7xf32>
  return %0, %1, %2, %4 : tensor<3x1xf32>, tensor<3x3xi1>, tensor<3x2xcomplex<f32>>, tensor<3x3xf32>
})mlir"));

} // namespace
