// The native engine against the reference: products, convolutions, reductions,
// loops. How passes rewrite the operations around them: FoldingTest.cpp.
#include "assay/engine/native/NativeAgreement.h"

using namespace assay;
using engine::expectAgreement;

TEST(Native, ProductsOfEveryForm) {
  expectAgreement(
      R"(func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<2x5x3x7xf32>, %b: tensor<3x6x2x7xf32>) -> tensor<2x3x5x6xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [2, 0], contracting_dims = [3] x [3] : (tensor<2x5x3x7xf32>, tensor<3x6x2x7xf32>) -> tensor<2x3x5x6xf32>
    return %0 : tensor<2x3x5x6xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<4x3x8xf32>, %b: tensor<8x5x4xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 2] x [2, 0] : (tensor<4x3x8xf32>, tensor<8x5x4xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<9xf32>, %b: tensor<9xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<9xf32>, tensor<9xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<3x0xf32>, %b: tensor<0x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  })",
      1);
}

TEST(Native, EveryEntryOfABatchHasItsOwnWeights) {
  // Large enough to be packed, were it one weight.
  expectAgreement(
      R"(func.func @main(%a: tensor<3x20x64xf32>, %b: tensor<3x64x260xf32>) -> tensor<3x20x260xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x20x64xf32>, tensor<3x64x260xf32>) -> tensor<3x20x260xf32>
    return %0 : tensor<3x20x260xf32>
  })",
      1);
  // Batch dimensions that do not merge are loops around the product; one of
  // them may be empty, and then nothing is read or written.
  expectAgreement(
      R"(func.func @main(%a: tensor<2x3x20x64xf32>, %b: tensor<3x2x64x260xf32>) -> tensor<2x3x20x260xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [1, 0], contracting_dims = [3] x [2] : (tensor<2x3x20x64xf32>, tensor<3x2x64x260xf32>) -> tensor<2x3x20x260xf32>
    return %0 : tensor<2x3x20x260xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<0x3x1500x64xf32>, %b: tensor<3x0x64x1600xf32>) -> tensor<0x3x1500x1600xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [1, 0], contracting_dims = [3] x [2] : (tensor<0x3x1500x64xf32>, tensor<3x0x64x1600xf32>) -> tensor<0x3x1500x1600xf32>
    return %0 : tensor<0x3x1500x1600xf32>
  })",
      1);
}

TEST(Native, AConstantOfOneValueIsReadInAnyOrder) {
  // Its rows and columns do not merge, so any other operand would be copied.
  expectAgreement(
      R"(func.func @main(%b: tensor<40x50x30xf32>) -> tensor<70x50xf32> {
    %a = stablehlo.constant dense<2.0> : tensor<40x70x30xf32>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 2] x [0, 2] : (tensor<40x70x30xf32>, tensor<40x50x30xf32>) -> tensor<70x50xf32>
    return %0 : tensor<70x50xf32>
  })",
      1);
}

TEST(Native, BytesSumIn32Bits) {
  expectAgreement(
      R"(func.func @main(%a: tensor<17x70xi8>, %b: tensor<33x70xi8>) -> tensor<17x33xi32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<17x70xi8>, tensor<33x70xi8>) -> tensor<17x33xi32>
    return %0 : tensor<17x33xi32>
  })",
      1);
}

TEST(Native, TransposesAreFoldedIntoTheProduct) {
  // Two transposes and a product become one step.
  expectAgreement(
      R"(func.func @main(%a: tensor<7x5xf32>, %b: tensor<6x7xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<7x5xf32>) -> tensor<5x7xf32>
    %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<6x7xf32>) -> tensor<7x6xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>
    return %2 : tensor<5x6xf32>
  })",
      1, 1);
  // The transposed value is used again. The sums before it are one fused loop,
  // and the product writes its result transposed.
  expectAgreement(
      R"(func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x4xf32>) {
    %0 = stablehlo.add %a, %a : tensor<2x3x4xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    %2 = stablehlo.negate %0 : tensor<2x3x4xf32>
    %3 = stablehlo.dot_general %1, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x2x4xf32>, tensor<3x4x5xf32>) -> tensor<3x2x5xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<3x2x5xf32>) -> tensor<2x3x5xf32>
    return %4, %2 : tensor<2x3x5xf32>, tensor<2x3x4xf32>
  })",
      2, 2);
}

TEST(Native, BiasAndReluAreThePartOfTheProduct) {
  const char *layer =
      R"(func.func @main(%x: tensor<3x5x7xf32>, %w: tensor<7x20xf32>, %b: tensor<20xf32>) -> tensor<3x5x20xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<3x5x7xf32>, tensor<7x20xf32>) -> tensor<3x5x20xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<20xf32>) -> tensor<3x5x20xf32>
    %2 = stablehlo.add %1, %0 : tensor<3x5x20xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<3x5x20xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<3x5x20xf32>
    return %4 : tensor<3x5x20xf32>
  })";
  expectAgreement(layer, 1, 1);
  // Heads: the columns are two dimensions, and the result is turned.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5x6xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x4x5xf32>) -> tensor<6x4x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<4x5xf32>) -> tensor<6x4x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x4x5xf32>
    %3 = stablehlo.transpose %2, dims = [1, 2, 0] : (tensor<6x4x5xf32>) -> tensor<4x5x6xf32>
    return %3 : tensor<4x5x6xf32>
  })",
      1, 1);
}

TEST(Native, OperationsThatAreNeitherBiasNorReluStayOutsideTheProduct) {
  // A value for each row.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x5xf32>, %b: tensor<6xf32>) -> tensor<6x5xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x5xf32>
    return %2 : tensor<6x5xf32>
  })",
      2, 2);
  // A whole matrix is not a bias, square or not, and neither is a single column.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x5xf32>, %m: tensor<6x5xf32>) -> tensor<6x5xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.reshape %m : (tensor<6x5xf32>) -> tensor<1x6x5xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6x5xf32>) -> tensor<6x5xf32>
    %3 = stablehlo.add %0, %2 : tensor<6x5xf32>
    return %3 : tensor<6x5xf32>
  })",
      2);
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x6xf32>, %m: tensor<6x6xf32>) -> tensor<6x6xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x6xf32>) -> tensor<6x6xf32>
    %1 = stablehlo.transpose %m, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xf32>
    return %2 : tensor<6x6xf32>
  })",
      2);
  // The maximum with another number than zero is not a ReLU.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x5xf32>, %b: tensor<5xf32>) -> tensor<6x5xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<6x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x5xf32>
    %least = stablehlo.constant dense<-3.0> : tensor<6x5xf32>
    %3 = stablehlo.maximum %2, %least : tensor<6x5xf32>
    return %3 : tensor<6x5xf32>
  })",
      2);
  // A product that someone else reads.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x5xf32>, %b: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<6x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x5xf32>
    return %0, %2 : tensor<6x5xf32>, tensor<6x5xf32>
  })",
      2, 2);
}

TEST(Native, ConvolutionsBecomeProducts) {
  expectAgreement(
      R"(func.func @main(%x: tensor<2x9x8x6xf32>, %w: tensor<3x2x6x10xf32>) -> tensor<2x5x4x10xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x6xf32>, tensor<3x2x6x10xf32>) -> tensor<2x5x4x10xf32>
    return %0 : tensor<2x5x4x10xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%x: tensor<2x8x7x7xf32>, %w: tensor<12x4x3x3xf32>) -> tensor<2x12x7x7xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x7x7xf32>, tensor<12x4x3x3xf32>) -> tensor<2x12x7x7xf32>
    return %0 : tensor<2x12x7x7xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%x: tensor<3x5x5x16xf32>, %w: tensor<1x1x16x9xf32>) -> tensor<3x5x5x9xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x5x5x16xf32>, tensor<1x1x16x9xf32>) -> tensor<3x5x5x9xf32>
    return %0 : tensor<3x5x5x9xf32>
  })",
      1);
}

TEST(Native, RowReductionsAndWhatSurroundsThemAreOneStep) {
  // A softmax whose scores are scaled and masked: one step.
  expectAgreement(
      R"(func.func @main(%x: tensor<3x5x70xf32>) -> tensor<3x5x70xf32> {
    %scale = stablehlo.constant dense<0.125> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<3x5x70xf32>
    %1 = stablehlo.multiply %x, %0 : tensor<3x5x70xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x5x1xf32>) -> tensor<3x5x70xf32>
    %5 = stablehlo.subtract %1, %4 : tensor<3x5x70xf32>
    %6 = stablehlo.exponential %5 : tensor<3x5x70xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x70xf32>
    %9 = stablehlo.divide %6, %8 : tensor<3x5x70xf32>
    return %9 : tensor<3x5x70xf32>
  })",
      /*steps: two initial values, the scale, the loop*/
      1, 4, 1e-7f);
  // The mean is also a result of its own; the minimum goes through a reshape.
  expectAgreement(
      R"(func.func @main(%x: tensor<40x33xf32>) -> (tensor<40xf32>, tensor<40x33xf32>, tensor<4x10xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<40x33xf32>, tensor<f32>) -> tensor<40xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<40xf32>) -> tensor<40x33xf32>
    %2 = stablehlo.subtract %x, %1 : tensor<40x33xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.minimum across dimensions = [1] : (tensor<40x33xf32>, tensor<f32>) -> tensor<40xf32>
    %4 = stablehlo.reshape %3 : (tensor<40xf32>) -> tensor<4x10xf32>
    return %0, %2, %4 : tensor<40xf32>, tensor<40x33xf32>, tensor<4x10xf32>
  })",
      1);
}

TEST(Native, RowsOfEveryTypeAreReducedEachForItself) {
  // Sums of bytes wrap; more rows than a block has, and a rest.
  expectAgreement(
      R"(func.func @main(%x: tensor<1037x9xi8>) -> tensor<1037x9xi8> {
    %zero = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.add %x, %x : tensor<1037x9xi8>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1037x9xi8>, tensor<i8>) -> tensor<1037xi8>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1037xi8>) -> tensor<1037x9xi8>
    %3 = stablehlo.subtract %2, %x : tensor<1037x9xi8>
    return %3 : tensor<1037x9xi8>
  })",
      1);
  // A leading dimension is a step of its own.
  expectAgreement(
      R"(func.func @main(%x: tensor<37x41xf32>) -> tensor<37x41xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %x, %x : tensor<37x41xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<37x41xf32>, tensor<f32>) -> tensor<41xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<41xf32>) -> tensor<37x41xf32>
    %3 = stablehlo.subtract %2, %0 : tensor<37x41xf32>
    %4 = stablehlo.multiply %3, %x : tensor<37x41xf32>
    return %4 : tensor<37x41xf32>
  })",
      2);
}

TEST(Native, ALongChainKeepsWhatIsStillRead) {
  expectAgreement(
      R"(func.func @main(%x: tensor<700x3xf32>, %y: tensor<700x3xf32>) -> tensor<700x3xf32> {
    %0 = stablehlo.add %x, %y : tensor<700x3xf32>
    %1 = stablehlo.subtract %x, %y : tensor<700x3xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<700x3xf32>
    %3 = stablehlo.negate %2 : tensor<700x3xf32>
    %4 = stablehlo.maximum %3, %0 : tensor<700x3xf32>
    %5 = stablehlo.minimum %4, %1 : tensor<700x3xf32>
    %6 = stablehlo.add %5, %2 : tensor<700x3xf32>
    %7 = stablehlo.subtract %6, %0 : tensor<700x3xf32>
    return %7 : tensor<700x3xf32>
  })",
      1, 1);
}

TEST(Native, LoopsReadViewsThroughStrides) {
  // A transposed, a sliced and two broadcast operands, read in place.
  expectAgreement(
      R"(func.func @main(%a: tensor<6x50xf32>, %b: tensor<60x9xf32>, %row: tensor<6xf32>, %column: tensor<50xf32>) -> tensor<50x6xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x50xf32>) -> tensor<50x6xf32>
    %1 = stablehlo.slice %b [4:54, 2:8] : (tensor<60x9xf32>) -> tensor<50x6xf32>
    %2 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<6xf32>) -> tensor<50x6xf32>
    %3 = stablehlo.broadcast_in_dim %column, dims = [0] : (tensor<50xf32>) -> tensor<50x6xf32>
    %4 = stablehlo.multiply %0, %1 : tensor<50x6xf32>
    %5 = stablehlo.add %4, %2 : tensor<50x6xf32>
    %6 = stablehlo.subtract %5, %3 : tensor<50x6xf32>
    return %6 : tensor<50x6xf32>
  })",
      1, 1);
  // Every second column; a reshape between; a scalar predicate.
  expectAgreement(
      R"(func.func @main(%a: tensor<8x20xf32>, %p: tensor<4x20xf32>) -> tensor<4x20xf32> {
    %0 = stablehlo.slice %a [0:8, 0:20:2] : (tensor<8x20xf32>) -> tensor<8x10xf32>
    %1 = stablehlo.reshape %0 : (tensor<8x10xf32>) -> tensor<4x20xf32>
    %2 = stablehlo.compare GT, %1, %p : (tensor<4x20xf32>, tensor<4x20xf32>) -> tensor<4x20xi1>
    %3 = stablehlo.negate %1 : tensor<4x20xf32>
    %4 = stablehlo.select %2, %3, %p : tensor<4x20xi1>, tensor<4x20xf32>
    return %4 : tensor<4x20xf32>
  })",
      1);
}

TEST(Native, LoopsInsideLoopsKeepTheirOrder) {
  // A body whose carried values feed each other: nothing may be released early.
  expectAgreement(
      R"(func.func @main(%x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %begin = stablehlo.constant dense<0> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r:3 = stablehlo.while(%i = %begin, %a = %x, %b = %x) : tensor<i32>, tensor<16x8xf32>, tensor<16x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
      %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
      %u = stablehlo.add %b, %t : tensor<16x8xf32>
      %v = func.call @half(%u) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %v, %a : tensor<i32>, tensor<16x8xf32>, tensor<16x8xf32>
    }
    return %r#1, %r#2 : tensor<16x8xf32>, tensor<16x8xf32>
  }
  func.func private @half(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %c = stablehlo.constant dense<0.5> : tensor<16x8xf32>
    %0 = stablehlo.multiply %x, %c : tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  })",
      /*one for each round of the loop*/ 3);
}

TEST(Native, WeightsArePackedOnce) {
  expectAgreement(
      R"(func.func @main(%x: tensor<4x10x96xf32>, %w: tensor<200x96xf32>) -> tensor<4x10x200xf32> {
    %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<200x96xf32>) -> tensor<96x200xf32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [2] x [0] : (tensor<4x10x96xf32>, tensor<96x200xf32>) -> tensor<4x10x200xf32>
    return %1 : tensor<4x10x200xf32>
  })",
      1, 1);
}

/// How often weights are packed in two runs of a program on the same arguments.
static int64_t packingsOf(const char *text) {
  using namespace assay::engine;
  auto parsed = llvm::cantFail(program::Program::parse(text, "test"));
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  auto plan = llvm::cantFail(engine.makePlan(parsed, {}));
  std::vector<Tensor> arguments = makeArguments(*parsed);
  for (int run = 0; run < 2; ++run)
    runPlan(*plan, arguments);
  return engine.context()->packings;
}

/// A product of `rows` rows with a weight of a megabyte, three times in a loop
/// that hands the weight on, or turns its sign.
static std::string loopProgram(int rows, bool changes) {
  const char *text =
      R"(func.func @main(%x: tensor<{0}x512xf32>, %w: tensor<512x512xf32>) -> tensor<{0}x512xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %w) : tensor<i32>, tensor<{0}x512xf32>, tensor<512x512xf32>
    cond {{
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {{
      %y = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<{0}x512xf32>, tensor<512x512xf32>) -> tensor<{0}x512xf32>
      %c = stablehlo.negate %b : tensor<512x512xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y, {1} : tensor<i32>, tensor<{0}x512xf32>, tensor<512x512xf32>
    }
    return %r#1 : tensor<{0}x512xf32>
  })";
  return llvm::formatv(text, rows, changes ? "%c" : "%b").str();
}

TEST(Native, AWeightThatALoopHandsOnIsPackedOnce) {
  for (int rows : {1, 8, 40}) {
    std::string same = loopProgram(rows, false),
                other = loopProgram(rows, true);
    expectAgreement(same.c_str(), 3);
    EXPECT_EQ(packingsOf(same.c_str()), 1) << rows << " rows";
    EXPECT_EQ(packingsOf(other.c_str()), 0) << rows << " rows";
  }
}

TEST(Native, StepsWithOneWeightShareItsPanels) {
  // The last product reads the weight turned round: other panels.
  const char *text =
      R"(func.func @main(%x: tensor<8x512xf32>, %y: tensor<8x512xf32>, %w: tensor<512x512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>, tensor<8x512xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
    %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
    %2 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
    return %0, %1, %2 : tensor<8x512xf32>, tensor<8x512xf32>, tensor<8x512xf32>
  })";
  expectAgreement(text, 3, 3);
  EXPECT_EQ(packingsOf(text), 2);
}

TEST(Native, AProductAndTheLoopBehindItAreOneStep) {
  // A result beyond the second-level cache, cut by rows: pieces of equal height
  // and a last one.
  const char *text =
      R"(func.func @main(%x: tensor<4009x8xf32>, %w: tensor<8x264xf32>, %b: tensor<264xf32>, %s: tensor<4009x264xf32>) -> tensor<4009x264xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4009x8xf32>, tensor<8x264xf32>) -> tensor<4009x264xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<264xf32>) -> tensor<4009x264xf32>
    %2 = stablehlo.add %0, %1 : tensor<4009x264xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<4009x264xf32>
    %4 = stablehlo.subtract %3, %s : tensor<4009x264xf32>
    return %4 : tensor<4009x264xf32>
  })";
  expectAgreement(text, 2, 1);
  // A weight of more elements, in panels; other numbers of threads cut otherwise.
  std::string large(text);
  for (size_t at; (at = large.find("x8xf32")) != std::string::npos;)
    large.replace(at, 6, "x72xf32");
  large.replace(large.find("<8x264"), 6, "<72x264");
  large.replace(large.find("<8x264"), 6, "<72x264");
  expectAgreement(large.c_str(), 2, 1);
  auto parsed = llvm::cantFail(program::Program::parse(large, "test"));
  engine::NativeEngine engine(
      "native", std::make_shared<reference::ReferenceCompiler>());
  auto plan = llvm::cantFail(engine.makePlan(parsed, {}));
  std::vector<tensor::Tensor> arguments = engine::makeArguments(*parsed);
  tensor::Tensor expected = engine::runPlan(*plan, arguments, 1).results[0];
  for (int threads : {2, 3, 1})
    engine::expectSame(engine::runPlan(*plan, arguments, threads).results[0],
                       expected, 0, "a run on other threads");
}

TEST(Native, AttentionReadsItsHeadsInPlace) {
  // Queries and keys are slices of one product; nothing is rearranged.
  expectAgreement(
      R"(func.func @main(%x: tensor<1x12x2x3x8xf32>) -> tensor<1x3x12x12xf32> {
    %0 = stablehlo.slice %x [0:1, 0:12, 0:1, 0:3, 0:8] : (tensor<1x12x2x3x8xf32>) -> tensor<1x12x1x3x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x12x1x3x8xf32>) -> tensor<1x12x3x8xf32>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<1x12x3x8xf32>) -> tensor<1x3x12x8xf32>
    %3 = stablehlo.slice %x [0:1, 0:12, 1:2, 0:3, 0:8] : (tensor<1x12x2x3x8xf32>) -> tensor<1x12x1x3x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x12x1x3x8xf32>) -> tensor<1x12x3x8xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1, 3] : (tensor<1x12x3x8xf32>) -> tensor<1x3x12x8xf32>
    %6 = stablehlo.dot_general %2, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x3x12x8xf32>, tensor<1x3x12x8xf32>) -> tensor<1x3x12x12xf32>
    return %6 : tensor<1x3x12x12xf32>
  })",
      1, 1);
}

TEST(Native, PoolsImagesByRows) {
  expectAgreement(
      R"(func.func @main(%x: tensor<2x9x8x16xf32>) -> tensor<2x5x4x16xf32> {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x9x8x16xf32>, tensor<f32>) -> tensor<2x5x4x16xf32>
    return %0 : tensor<2x5x4x16xf32>
  })",
      1);
}

TEST(Native, FiltersArePackedOnceAndRowsOfAWindowAreOneCopy) {
  // Padding on both sides, narrow rows in two blocks, and a pointwise filter.
  expectAgreement(
      R"(func.func @main(%x: tensor<2x1400x3x5xf32>, %w: tensor<3x4x5x24xf32>, %p: tensor<1x1x24x9xf32>) -> tensor<2x1400x3x9xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1400x3x5xf32>, tensor<3x4x5x24xf32>) -> tensor<2x1400x3x24xf32>
    %1 = stablehlo.convolution(%0, %p) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1400x3x24xf32>, tensor<1x1x24x9xf32>) -> tensor<2x1400x3x9xf32>
    return %1 : tensor<2x1400x3x9xf32>
  })",
      2);
}

TEST(Native, AFoldThatStartsFromItsOwnOperandIsNotPartOfTheLoop) {
  // The start is an element of what the fold reads: one loop that makes both
  // would need it before it begins.
  expectAgreement(
      R"(func.func @main(%a: tensor<7x8xf64>) -> tensor<7xf64> {
    %0 = stablehlo.negate %a : tensor<7x8xf64>
    %1 = "stablehlo.slice"(%0) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<7x8xf64>) -> tensor<1x1xf64>
    %2 = stablehlo.reshape %1 : (tensor<1x1xf64>) -> tensor<f64>
    %3 = stablehlo.reduce(%0 init: %2) applies stablehlo.multiply across dimensions = [1] : (tensor<7x8xf64>, tensor<f64>) -> tensor<7xf64>
    return %3 : tensor<7xf64>
  })",
      0);
}

/// Why the engine has no step for the last operation of a program's
/// body, or nothing. `change` edits the request first.
static std::string
refusalOf(const char *text, double minimumWork = 0,
          llvm::function_ref<void(program::StepSpec &, std::vector<engine::Layout> &)>
              change = [](auto &, auto &) {}) {
  auto program = llvm::cantFail(program::Program::parse(text, "refused.mlir"));
  mlir::func::FuncOp function = llvm::cantFail(program->function());
  mlir::Operation *op = function.front().getTerminator()->getPrevNode();
  program::NumericOptions numeric;
  program::StepSpec spec{op, {}, {}, numeric};
  for (mlir::Type type : op->getOperandTypes())
    spec.operands.push_back(llvm::cantFail(program::tensorTypeOf(type)));
  for (mlir::Type type : op->getResultTypes())
    spec.results.push_back(llvm::cantFail(program::tensorTypeOf(type)));
  std::vector<engine::Layout> layouts;
  change(spec, layouts);
  engine::NativeEngine native("native",
                              std::make_shared<reference::ReferenceCompiler>(),
                              {minimumWork, true});
  auto made = llvm::cantFail(native.compile({spec, layouts}));
  auto *refusal = std::get_if<Refusal>(&made);
  return refusal ? refusal->text : "";
}

TEST(Native, RefusesWithAReason) {
  const char *product =
      R"(func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  })";
  EXPECT_EQ(refusalOf(product, 5 * 7 * 6), "");
  EXPECT_EQ(refusalOf(product, 5 * 7 * 6 + 1), "the product is small");
  EXPECT_EQ(refusalOf(product, 0, [](auto &spec, auto &) { spec.shadow = true; }),
            "shadows and --accumulate=step are the reference's");
  const char *sum =
      R"(func.func @main(%a: tensor<5x7xf32>, %b: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = stablehlo.add %a, %b : tensor<5x7xf32>
    return %0 : tensor<5x7xf32>
  })";
  EXPECT_EQ(refusalOf(sum), "no kernel takes the operation with these types");
  EXPECT_EQ(refusalOf(sum, 0,
                      [](auto &spec, auto &layouts) {
                        for (const tensor::TensorType &type : spec.operands)
                          layouts.push_back(engine::Layout::dense(type));
                      }),
            "only products read operands through views");
  EXPECT_EQ(
      refusalOf(
          R"(func.func @main(%x: tensor<1x5x5x2xi32>, %w: tensor<3x3x2x4xi32>) -> tensor<1x3x3x4xi32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x2xi32>, tensor<3x3x2x4xi32>) -> tensor<1x3x3x4xi32>
    return %0 : tensor<1x3x3x4xi32>
  })"),
      "windows: no kernel takes the operation with these types; "
      "rows: no kernel takes the operation with these types; "
      "channels: no kernel takes the operation with these types; "
      "columns: not the gradient of a filter with channels last; "
      "groupcolumns: not the gradient of a filter with channels last; "
      "planes: no kernel takes the operation with these types; "
      "channelplanes: not two dimensions with a plane for each channel; "
      "planegradients: gradients in planes are of f32, bf16 and f16; "
      "winograd: Winograd's transforms are not allowed");
}
