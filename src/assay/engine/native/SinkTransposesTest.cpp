// Transposes after elementwise operations: the same results, fewer steps.
#include "assay/engine/native/SinkTransposes.h"

#include "assay/engine/native/NativeAgreement.h"

using namespace assay;
using engine::expectAgreement;

TEST(SinkTransposes, AScaleOfHeadsIsPartOfTheLoopBeforeIt) {
  // Bias and scale are one loop, which the product reads by heads.
  expectAgreement(
      R"(func.func @main(%x: tensor<24x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>, %k: tensor<4x16x24xf32>) -> tensor<4x24x24xf32> {
    %s = stablehlo.constant dense<0.5> : tensor<1x4x24x16xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<24x64xf32>, tensor<64x64xf32>) -> tensor<24x64xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<24x64xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<24x64xf32>
    %3 = stablehlo.reshape %2 : (tensor<24x64xf32>) -> tensor<1x24x4x16xf32>
    %4 = stablehlo.transpose %3, dims = [0, 2, 1, 3] : (tensor<1x24x4x16xf32>) -> tensor<1x4x24x16xf32>
    %5 = stablehlo.multiply %4, %s : tensor<1x4x24x16xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x4x24x16xf32>) -> tensor<4x24x16xf32>
    %7 = stablehlo.dot_general %6, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x24x16xf32>, tensor<4x16x24xf32>) -> tensor<4x24x24xf32>
    return %7 : tensor<4x24x24xf32>
  })",
      3, 4);
}

TEST(SinkTransposes, BroadcastsTruthValuesAndScalarsComeAlong) {
  expectAgreement(
      R"(func.func @main(%x: tensor<5x6x7xf32>, %y: tensor<5x6x7xf32>, %r: tensor<7x5xf32>, %p: tensor<i1>, %k: tensor<7x6x9xf32>) -> tensor<7x5x9xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<7x5x6xf32>
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
    %1 = stablehlo.transpose %y, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
    %2 = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<7x5xf32>) -> tensor<7x5x6xf32>
    %3 = stablehlo.compare LT, %0, %zero : (tensor<7x5x6xf32>, tensor<7x5x6xf32>) -> tensor<7x5x6xi1>
    %4 = stablehlo.select %p, %1, %2 : tensor<i1>, tensor<7x5x6xf32>
    %5 = stablehlo.dot_general %4, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x5x6xf32>, tensor<7x6x9xf32>) -> tensor<7x5x9xf32>
    %6 = stablehlo.select %3, %2, %1 : tensor<7x5x6xi1>, tensor<7x5x6xf32>
    %7 = stablehlo.dot_general %6, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x5x6xf32>, tensor<7x6x9xf32>) -> tensor<7x5x9xf32>
    %8 = stablehlo.add %5, %7 : tensor<7x5x9xf32>
    return %8 : tensor<7x5x9xf32>
  })",
      4);
}

/// A block of ConvNeXt: a product with channels last, brought to planes, scaled
/// and added to a value that a convolution of planes reads and makes.
TEST(SinkTransposes, AScaleOfChannelsMeetsTheShortcut) {
  expectAgreement(
      R"(func.func @main(%x: tensor<1x32x10x10xf32>, %f: tensor<32x32x3x3xf32>, %w: tensor<32x32xf32>, %s: tensor<32x1x1xf32>) -> tensor<1x32x10x10xf32> {
    %0 = stablehlo.convolution(%x, %f) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x32x10x10xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x10x10xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 3, 1] : (tensor<1x32x10x10xf32>) -> tensor<1x10x10x32xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x10x10x32xf32>) -> tensor<100x32xf32>
    %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<100x32xf32>, tensor<32x32xf32>) -> tensor<100x32xf32>
    %4 = stablehlo.reshape %3 : (tensor<100x32xf32>) -> tensor<1x10x10x32xf32>
    %5 = stablehlo.transpose %4, dims = [0, 3, 1, 2] : (tensor<1x10x10x32xf32>) -> tensor<1x32x10x10xf32>
    %6 = stablehlo.broadcast_in_dim %s, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x10x10xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<1x32x10x10xf32>
    %8 = stablehlo.add %7, %0 : tensor<1x32x10x10xf32>
    %9 = stablehlo.convolution(%8, %f) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x32x10x10xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x10x10xf32>
    return %9 : tensor<1x32x10x10xf32>
  })",
      4, 6);
}

static bool isKept(const char *text) {
  auto parsed = program::Program::parse(text, "test");
  EXPECT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  std::string before = (*parsed)->toBytecode();
  engine::sinkTransposes((*parsed)->module());
  return (*parsed)->toBytecode() == before;
}

TEST(SinkTransposes, OthersStayAsTheyAre) {
  // No step reads the result through strides.
  EXPECT_TRUE(isKept(
      R"(func.func @main(%x: tensor<5x6x7xf32>) -> tensor<7x5x6xf32> {
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
    %1 = stablehlo.negate %0 : tensor<7x5x6xf32>
    return %1 : tensor<7x5x6xf32>
  })"));
  // Operands that are transposed in another way, or not at all.
  for (const char *other :
       {"stablehlo.transpose %y, dims = [2, 1, 0] : (tensor<6x5x7xf32>) -> tensor<7x5x6xf32>",
        "stablehlo.reshape %y : (tensor<6x5x7xf32>) -> tensor<7x5x6xf32>"}) {
    std::string text = R"(func.func @main(%x: tensor<5x6x7xf32>, %y: tensor<6x5x7xf32>, %k: tensor<7x6x9xf32>) -> tensor<7x5x9xf32> {
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
    %1 = OTHER
    %2 = stablehlo.add %0, %1 : tensor<7x5x6xf32>
    %3 = stablehlo.dot_general %2, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x5x6xf32>, tensor<7x6x9xf32>) -> tensor<7x5x9xf32>
    return %3 : tensor<7x5x9xf32>
  })";
    text.replace(text.find("OTHER"), 5, other);
    EXPECT_TRUE(isKept(text.c_str())) << text;
  }
  // The reshape after it moves elements.
  EXPECT_TRUE(isKept(
      R"(func.func @main(%x: tensor<5x6x7xf32>, %k: tensor<30x9xf32>) -> tensor<7x9xf32> {
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x6x7xf32>) -> tensor<7x5x6xf32>
    %1 = stablehlo.negate %0 : tensor<7x5x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<7x5x6xf32>) -> tensor<7x30xf32>
    %3 = stablehlo.dot_general %2, %k, contracting_dims = [1] x [0] : (tensor<7x30xf32>, tensor<30x9xf32>) -> tensor<7x9xf32>
    return %3 : tensor<7x9xf32>
  })"));
}
