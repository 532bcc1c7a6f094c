// How the native engine's passes rewrite views, biases, calls and effects: the
// same numbers as the reference's, however they are read and written.
#include "assay/engine/native/NativeAgreement.h"

using namespace assay;
using engine::expectAgreement;

TEST(Folding, ADimensionOfOneIsRepeatedInALoop) {
  expectAgreement(
      R"(func.func @main(%a: tensor<5x1xf32>, %b: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x7xf32>
    %1 = stablehlo.multiply %0, %b : tensor<5x7xf32>
    %2 = stablehlo.subtract %1, %0 : tensor<5x7xf32>
    return %2 : tensor<5x7xf32>
  })",
      1);
}

TEST(Folding, ARepeatedColumnIsNotAViewOfAnotherShape) {
  expectAgreement(
      R"(func.func @main(%a: tensor<6xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
    %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<6xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
    %2 = stablehlo.multiply %1, %b : tensor<24xf32>
    %3 = stablehlo.add %2, %1 : tensor<24xf32>
    return %3 : tensor<24xf32>
  })",
      1);
  // Nor is a repeated row.
  expectAgreement(
      R"(func.func @main(%a: tensor<6xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
    %2 = stablehlo.multiply %1, %b : tensor<24xf32>
    %3 = stablehlo.add %2, %1 : tensor<24xf32>
    return %3 : tensor<24xf32>
  })",
      1);
}

TEST(Folding, AReshapeInAChainIsNotItsEnd) {
  // A product's bias in rows, what follows it in an image (as PyTorch writes a
  // linear layer): the product and one loop.
  expectAgreement(
      R"(func.func @main(%x: tensor<1x3x4x5xf32>, %w: tensor<5x7xf32>, %b: tensor<7xf32>, %s: tensor<3x4x7xf32>) -> tensor<1x3x4x7xf32> {
    %0 = stablehlo.reshape %x : (tensor<1x3x4x5xf32>) -> tensor<12x5xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<12x5xf32>, tensor<5x7xf32>) -> tensor<12x7xf32>
    %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<7xf32>) -> tensor<12x7xf32>
    %3 = stablehlo.add %1, %2 : tensor<12x7xf32>
    %4 = stablehlo.reshape %3 : (tensor<12x7xf32>) -> tensor<1x3x4x7xf32>
    %5 = stablehlo.reshape %s : (tensor<3x4x7xf32>) -> tensor<1x3x4x7xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x3x4x7xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<1x3x4x7xf32>
    return %7 : tensor<1x3x4x7xf32>
  })",
      2, 2);
  // Rows of another shape, summed in between; a constant that strides cannot express.
  expectAgreement(
      R"(func.func @main(%x: tensor<12x7xf32>, %y: tensor<3x4x7xf32>) -> tensor<3x4x7xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<7x12xf32>
    %0 = stablehlo.transpose %two, dims = [1, 0] : (tensor<7x12xf32>) -> tensor<12x7xf32>
    %1 = stablehlo.add %x, %0 : tensor<12x7xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<12x7xf32>, tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.negate %2 : tensor<12xf32>
    %4 = stablehlo.reshape %3 : (tensor<12xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x7xf32>
    %6 = stablehlo.reshape %1 : (tensor<12x7xf32>) -> tensor<3x4x7xf32>
    %7 = stablehlo.add %5, %6 : tensor<3x4x7xf32>
    %8 = stablehlo.multiply %7, %y : tensor<3x4x7xf32>
    return %8 : tensor<3x4x7xf32>
  })",
      1);
  // A transposed operand of the other shape stays readable, or the loop ends
  // before it.
  expectAgreement(
      R"(func.func @main(%x: tensor<7x12xf32>, %z: tensor<12x7xf32>, %y: tensor<4x21xf32>) -> tensor<4x21xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<7x12xf32>) -> tensor<12x7xf32>
    %1 = stablehlo.add %0, %z : tensor<12x7xf32>
    %2 = stablehlo.reshape %1 : (tensor<12x7xf32>) -> tensor<4x21xf32>
    %3 = stablehlo.multiply %2, %y : tensor<4x21xf32>
    %4 = stablehlo.add %3, %2 : tensor<4x21xf32>
    return %4 : tensor<4x21xf32>
  })",
      2);
}

TEST(Folding, APartOfAMemberIsNotItsRows) {
  // As many rows as columns: the first row, repeated along the rows.
  expectAgreement(
      R"(func.func @main(%a: tensor<6x6xf32>, %g: tensor<6x6xf32>) -> tensor<6x6xf32> {
    %0 = stablehlo.add %a, %g : tensor<6x6xf32>
    %1 = stablehlo.slice %0 [0:1, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6xf32>) -> tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
    %4 = stablehlo.multiply %g, %3 : tensor<6x6xf32>
    return %4 : tensor<6x6xf32>
  })",
      1);
  // The same beside sums of rows.
  expectAgreement(
      R"(func.func @main(%a: tensor<6x6xf32>, %g: tensor<6x6xf32>) -> tensor<6x6xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %a, %g : tensor<6x6xf32>
    %1 = stablehlo.slice %0 [0:1, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6xf32>) -> tensor<6xf32>
    %3 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.add %2, %3 : tensor<6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
    %6 = stablehlo.multiply %g, %5 : tensor<6x6xf32>
    return %6 : tensor<6x6xf32>
  })",
      1);
}

TEST(Folding, ATransposedMatrixIsNotAViewOfAnotherShape) {
  expectAgreement(
      R"(func.func @main(%a: tensor<6x4xf32>, %b: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.multiply %1, %b : tensor<3x8xf32>
    %3 = stablehlo.add %2, %1 : tensor<3x8xf32>
    return %3 : tensor<3x8xf32>
  })",
      1);
  expectAgreement(
      R"(func.func @main(%a: tensor<6x4xf32>, %b: tensor<8x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  })",
      1);
}

TEST(Folding, ASliceOfASliceBeginsAtBothStarts) {
  expectAgreement(
      R"(func.func @main(%a: tensor<9x10xf32>, %b: tensor<4x6xf32>) -> tensor<3x6xf32> {
    %0 = stablehlo.slice %a [1:8, 2:9] : (tensor<9x10xf32>) -> tensor<7x7xf32>
    %1 = stablehlo.slice %0 [2:5, 3:7] : (tensor<7x7xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
    return %2 : tensor<3x6xf32>
  })",
      1, 1);
}

TEST(Folding, NarrowSumsAreRoundedBeforeTheBias) {
  // Sums beyond 256 are rounded in bf16, and again with the bias.
  expectAgreement(
      R"(func.func @main(%x: tensor<6x512xbf16>, %w: tensor<512x40xbf16>, %b: tensor<40xbf16>) -> tensor<6x40xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x512xbf16>, tensor<512x40xbf16>) -> tensor<6x40xbf16>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<40xbf16>) -> tensor<6x40xbf16>
    %2 = stablehlo.add %0, %1 : tensor<6x40xbf16>
    return %2 : tensor<6x40xbf16>
  })",
      2, 2);
}

TEST(Folding, ALeakIsNotAReluAndAProductOfTwoReadersStays) {
  expectAgreement(
      R"(func.func @main(%x: tensor<6x7xf32>, %w: tensor<7x5xf32>, %b: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<5x6xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<6x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x5xf32>
    %3 = stablehlo.reverse %0, dims = [0] : tensor<6x5xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
    return %2, %4 : tensor<6x5xf32>, tensor<5x6xf32>
  })",
      2);
}

TEST(Folding, AProductIsWrittenInAnyOrderOfItsDimensions) {
  // A permutation that is not its own inverse.
  expectAgreement(
      R"(func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<3x5x2xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<2x3x5xf32>) -> tensor<3x5x2xf32>
    return %1 : tensor<3x5x2xf32>
  })",
      1, 1);
}

TEST(Folding, OneValueRepeatedInRowsThatAreNotInOrder) {
  // The argument is one stored element; its view has rows that do not merge.
  const char *text =
      R"(func.func @main(%a: tensor<8xf32>, %w: tensor<16x3xf32>) -> tensor<8x4096x3xf32> {
    %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<8xf32>) -> tensor<8x4096x16xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [2] x [0] : (tensor<8x4096x16xf32>, tensor<16x3xf32>) -> tensor<8x4096x3xf32>
    return %1 : tensor<8x4096x3xf32>
  })";
  expectAgreement(text, 1, 1);
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  engine::NativeEngine native(
      "native", std::make_shared<reference::ReferenceCompiler>());
  auto plan = llvm::cantFail(native.makePlan(program, {}));
  auto plain = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  std::vector<tensor::Tensor> arguments = engine::makeArguments(*program);
  float two = 2;
  arguments[0] = tensor::Tensor::splat(arguments[0].type(), &two);
  engine::expectSame(engine::runPlan(*plan, arguments).results[0],
                     engine::runPlan(*plain, arguments).results[0], 0, text);
}

TEST(Folding, RowsAndColumnsThatAreParted) {
  // The pairs of rows and one of two alike dimensions of columns become batches.
  expectAgreement(
      R"(func.func @main(%a: tensor<4x2x40x6xf32>, %b: tensor<4x6x33x33xf32>) -> tensor<4x40x33x33x2xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x2x40x6xf32>, tensor<4x6x33x33xf32>) -> tensor<4x2x40x33x33xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 4, 3, 1] : (tensor<4x2x40x33x33xf32>) -> tensor<4x40x33x33x2xf32>
    return %1 : tensor<4x40x33x33x2xf32>
  })",
      1, 1);
  // Too many to be products of their own, too short, or without a batch: written
  // in order, and transposed.
  for (const char *shape : {"4 2 70 70", "4 2 31 3", "1 2 40 3"}) {
    int sizes[4];
    ASSERT_EQ(std::sscanf(shape, "%d %d %d %d", sizes, sizes + 1, sizes + 2,
                          sizes + 3),
              4);
    bool isBatch = sizes[0] > 1;
    std::string text =
        llvm::formatv(
            isBatch ? R"(func.func @main(%a: tensor<{0}x{1}x6xf32>, %b: tensor<{0}x6x{2}x{3}xf32>) -> tensor<{0}x{3}x{1}x{2}xf32> {{
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<{0}x{1}x6xf32>, tensor<{0}x6x{2}x{3}xf32>) -> tensor<{0}x{1}x{2}x{3}xf32>
    %1 = stablehlo.transpose %0, dims = [0, 3, 1, 2] : (tensor<{0}x{1}x{2}x{3}xf32>) -> tensor<{0}x{3}x{1}x{2}xf32>
    return %1 : tensor<{0}x{3}x{1}x{2}xf32>
  })"
                    : R"(func.func @main(%a: tensor<{1}x6xf32>, %b: tensor<6x{2}x{3}xf32>) -> tensor<{3}x{1}x{2}xf32> {{
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{1}x6xf32>, tensor<6x{2}x{3}xf32>) -> tensor<{1}x{2}x{3}xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<{1}x{2}x{3}xf32>) -> tensor<{3}x{1}x{2}xf32>
    return %1 : tensor<{3}x{1}x{2}xf32>
  })",
            sizes[0], sizes[1], sizes[2], sizes[3])
            .str();
    expectAgreement(text.c_str(), 1, 2);
  }
}

TEST(Folding, WhatIsWantedIsMade) {
  const char *text =
      R"(func.func @main(%a: tensor<6x7xf32>, %b: tensor<7x5xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
    return %1 : tensor<5x6xf32>
  })";
  expectAgreement(text, 1, 1);
  engine::PlanRequest request;
  request.wanted = [](mlir::Operation *op) {
    return op->getName().getStringRef() == "stablehlo.transpose";
  };
  expectAgreement(text, 1, 2, 0, request);
}

TEST(Folding, SmallFunctionsMayReturnTheirArguments) {
  expectAgreement(
      R"(func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.add %x, %y : tensor<4x8xf32>
    %r:2 = func.call @both(%0, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    %s:2 = func.call @twice(%r#0) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    %1 = stablehlo.subtract %s#0, %r#1 : tensor<4x8xf32>
    return %1, %s#1 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @both(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.negate %a : tensor<4x8xf32>
    return %0, %b : tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @twice(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.abs %a : tensor<4x8xf32>
    return %0, %0 : tensor<4x8xf32>, tensor<4x8xf32>
  })",
      /*both are put where they are called: one loop*/ 1);
}

TEST(Folding, ChecksKeepTheirOrder) {
  // The first check reads a value of a loop that waits for the product; the
  // other effects wait for nothing.
  expectAgreement(
      R"(func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.negate %x : tensor<4x4xf32>
    check.expect_eq_const %0, dense<7.0> : tensor<4x4xf32>
    check.expect_eq_const %x, dense<8.0> : tensor<4x4xf32>
    %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %0, %p : tensor<4x4xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<4x4xf32>
    check.expect_eq_const %x, dense<9.0> : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  })",
      2);
}

TEST(Folding, ARegionReadsWhatItsLoopCarries) {
  // The product is read only in the body, and so is the carried value.
  expectAgreement(
      R"(func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = stablehlo.constant dense<2> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %begin = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.reverse %x, dims = [0] : tensor<8x8xf32>
    %r:2 = stablehlo.while(%i = %begin, %a = %s) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %u = stablehlo.add %a, %p : tensor<8x8xf32>
      %v = stablehlo.add %u, %s : tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %v : tensor<i32>, tensor<8x8xf32>
    }
    return %r#1 : tensor<8x8xf32>
  })",
      3);
}
