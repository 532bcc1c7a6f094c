// Programs of planar images with channels last: the same results as the
// reference's, and transposes only where the order has to change.
#include "assay/engine/native/PlanarLayout.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/NativeAgreement.h"
#include "assay/program/Inlining.h"
#include "mlir/IR/Verifier.h"

using namespace assay;
using namespace assay::engine;

/// A function whose convolutions are planar: `body` in the short words below.
static std::string planar(const std::string &arguments,
                          const std::string &results, std::string body) {
  const std::pair<const char *, const char *> words[] = {
      {"CONV", "stablehlo.convolution"},
      {"PLANES",
       "dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = "
       "[[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 "
       ": i64}"},
      {"IMAGE", "tensor<2x8x10x9xf32>"},
      {"FILTER", "tensor<8x8x3x3xf32>"}};
  std::string text = "func.func @main(" + arguments + ") -> " + results + " {\n" +
                     body + "}";
  for (auto [word, meaning] : words)
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, std::strlen(word), meaning);
  return text;
}

/// The program after the passes that are on trial.
static std::shared_ptr<const program::Program>
withChannelsLast(const std::string &text) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  program::inlineSmallCalls(program->module());
  moveChannelsLast(program->module());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(program->module())));
  return program;
}

/// The convolutions that the pass leaves or makes; -1: it changes nothing.
static int transposesOf(const std::string &text) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  program::inlineSmallCalls(program->module());
  auto last = withChannelsLast(text);
  int count = 0;
  last->module().walk([&](stablehlo::TransposeOp) { ++count; });
  return last->toBytecode() == program->toBytecode() ? -1 : count;
}

TEST(PlanarLayout, OnlyTheEdgesAreTransposed) {
  std::string text = planar(
      "%x: tensor<2x3x10x9xf32>, %a: tensor<8x3x3x3xf32>, %b: tensor<8xf32>, %c: FILTER",
      "(tensor<2x8xf32>, IMAGE)", R"(
    %0 = CONV(%x, %a) PLANES : (tensor<2x3x10x9xf32>, tensor<8x3x3x3xf32>) -> IMAGE
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> IMAGE
    %2 = stablehlo.add %0, %1 : IMAGE
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> IMAGE
    %4 = stablehlo.maximum %2, %3 : IMAGE
    %5 = CONV(%4, %c) PLANES : (IMAGE, FILTER) -> IMAGE
    %6 = stablehlo.add %4, %5 : IMAGE
    %7 = "stablehlo.reduce_window"(%6, %zero) <{window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 1>, padding = dense<[[0, 0], [0, 0], [1, 0], [0, 1]]> : tensor<4x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (IMAGE, tensor<f32>) -> tensor<2x8x5x9xf32>
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x8x5x9xf32>, tensor<f32>) -> tensor<2x8xf32>
    return %8, %5 : tensor<2x8xf32>, IMAGE
  )");
  // The image on its way in, and the second result.
  EXPECT_EQ(transposesOf(text), 2);
  expectAgreement(text.c_str(), 5);
}

TEST(PlanarLayout, AConvolutionByItselfStays) {
  std::string text = planar("%x: IMAGE, %a: FILTER", "IMAGE", R"(
    %0 = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    return %0 : IMAGE
  )");
  EXPECT_EQ(transposesOf(text), -1);
  expectAgreement(text.c_str(), 1, 1);
}

/// A single convolution: how many transposes its program has with channels last,
/// -1 where it stays.
static int transposesAround(const std::string &image, const std::string &filter,
                            const std::string &result, const std::string &form,
                            int64_t groups) {
  std::string text =
      "func.func @main(%x: tensor<" + image + ">, %a: tensor<" + filter +
      ">) -> tensor<" + result +
      "> {\n%0 = stablehlo.convolution(%x, %a) dim_numbers = [b, f, 0, 1]x[o, i, "
      "0, 1]->[b, f, 0, 1], window = {" +
      form + "} {batch_group_count = 1 : i64, feature_group_count = " +
      std::to_string(groups) + " : i64} : (tensor<" + image + ">, tensor<" +
      filter + ">) -> tensor<" + result + ">\nreturn %0 : tensor<" + result +
      ">\n}";
  expectAgreement(text.c_str(), 1);
  return transposesOf(text);
}

TEST(PlanarLayout, AConvolutionOfMuchWorkIsWorthItsTransposes) {
  const char *pad = "pad = [[1, 1], [1, 1]]", *none = "pad = [[0, 0], [0, 0]]",
             *dilated = "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]",
             *reversed = "pad = [[1, 1], [1, 1]], reverse = [true, true]";
  const struct {
    const char *image, *filter, *result, *form;
    int64_t groups;
    int transposes;
  } cases[] = {
      // 9 x 64 multiply-adds for two elements and a share of the filter.
      {"2x64x40x20xf32", "64x64x3x3xf32", "2x64x40x20xf32", pad, 1, 2},
      // 9 x 16.
      {"2x16x40x20xf32", "16x16x3x3xf32", "2x16x40x20xf32", pad, 1, -1},
      // The same in groups; of four channels; of two; of one.
      {"2x64x40x20xf32", "64x16x3x3xf32", "2x64x40x20xf32", pad, 4, 2},
      {"2x64x40x20xf32", "64x4x3x3xf32", "2x64x40x20xf32", pad, 16, 2},
      {"2x64x40x20xf32", "64x2x3x3xf32", "2x64x40x20xf32", pad, 32, -1},
      {"2x64x40x20xf32", "64x1x3x3xf32", "2x64x40x20xf32", pad, 64, -1},
      // Windows of one element, short lines.
      {"1x512x16x16xf32", "512x512x1x1xf32", "1x512x16x16xf32", none, 1, -1},
      {"2x64x80x10xf32", "64x64x3x3xf32", "2x64x80x10xf32", pad, 1, -1},
      // 16 bits, whatever the work, unless it is tiny; not planes of one channel.
      {"1x16x10x10xf32", "16x16x3x3xf32", "1x16x19x19xf32", dilated, 1, -1},
      {"1x16x10x10xbf16", "16x16x3x3xbf16", "1x16x19x19xbf16", dilated, 1, 2},
      {"1x64x20x20xbf16", "64x4x3x3xbf16", "1x64x20x20xbf16", reversed, 16, 2},
      {"1x64x20x20xbf16", "64x4x3x3xbf16", "1x64x20x20xbf16", pad, 16, 2},
      {"1x128x16x9xf16", "128x128x1x1xf16", "1x128x16x9xf16", none, 1, 2},
      {"1x16x10x10xbf16", "16x16x3x3xbf16", "1x16x10x10xbf16", pad, 1, -1},
      {"1x64x40x20xbf16", "64x1x3x3xbf16", "1x64x40x20xbf16", pad, 64, -1},
  };
  for (const auto &one : cases)
    EXPECT_EQ(transposesAround(one.image, one.filter, one.result, one.form,
                               one.groups),
              one.transposes)
        << one.image << " by " << one.filter << ", " << one.form;
}

/// Conversions keep the order of their operands: bytes are transposed as bytes.
TEST(PlanarLayout, ConversionsAreCarried) {
  std::string text = planar("%x: IMAGE, %a: FILTER", "IMAGE", R"(
    %0 = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %1 = stablehlo.convert %0 : (IMAGE) -> tensor<2x8x10x9xbf16>
    %2 = stablehlo.convert %1 : (tensor<2x8x10x9xbf16>) -> IMAGE
    %3 = CONV(%2, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    return %3 : IMAGE
  )");
  EXPECT_EQ(transposesOf(text), 2);
  expectAgreement(text.c_str(), 3);
  text = planar("%x: tensor<1x128x40x38xui8>, %a: tensor<64x128x3x3xi8>",
                "tensor<1x64x40x38xi32>", R"(
    %0 = stablehlo.convert %x : (tensor<1x128x40x38xui8>) -> tensor<1x128x40x38xi32>
    %1 = stablehlo.convert %a : (tensor<64x128x3x3xi8>) -> tensor<64x128x3x3xi32>
    %2 = CONV(%0, %1) PLANES : (tensor<1x128x40x38xi32>, tensor<64x128x3x3xi32>) -> tensor<1x64x40x38xi32>
    return %2 : tensor<1x64x40x38xi32>
  )");
  EXPECT_EQ(transposesOf(text), 2);
  auto last = withChannelsLast(text);
  int ofBytes = 0;
  last->module().walk([&](stablehlo::TransposeOp op) {
    ofBytes += mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType())
                   .getElementType()
                   .isInteger(8);
  });
  EXPECT_EQ(ofBytes, 1);
  expectAgreement(text.c_str(), 1);
}

TEST(PlanarLayout, ReshapesAndTransposesOnlyRenameTheOrder) {
  // The patches of a vision transformer, and a norm over channels.
  std::string text = planar("%x: IMAGE, %a: FILTER", "tensor<2x90x8xf32>", R"(
    %0 = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %1 = CONV(%0, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %2 = stablehlo.transpose %1, dims = [0, 2, 3, 1] : (IMAGE) -> tensor<2x10x9x8xf32>
    %3 = stablehlo.negate %2 : tensor<2x10x9x8xf32>
    %4 = stablehlo.transpose %3, dims = [0, 3, 1, 2] : (tensor<2x10x9x8xf32>) -> IMAGE
    %5 = stablehlo.add %4, %1 : IMAGE
    %6 = stablehlo.reshape %5 : (IMAGE) -> tensor<2x8x90xf32>
    %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<2x8x90xf32>) -> tensor<2x90x8xf32>
    return %7 : tensor<2x90x8xf32>
  )");
  EXPECT_EQ(transposesOf(text), 1);
  expectAgreement(text.c_str(), 3);
}

TEST(PlanarLayout, WhatNeedsPlanesGetsThem) {
  // Flattened features, groups of channels, a gather of channels.
  expectAgreement(
      planar("%x: IMAGE, %a: FILTER, %i: tensor<2xi32>",
             "(tensor<2x720xf32>, tensor<2x2x360xf32>, tensor<2x8x9x10xf32>, IMAGE)", R"(
    %0 = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %1 = CONV(%0, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %2 = stablehlo.reshape %1 : (IMAGE) -> tensor<2x720xf32>
    %3 = stablehlo.reshape %1 : (IMAGE) -> tensor<2x2x360xf32>
    %4 = stablehlo.transpose %1, dims = [0, 1, 3, 2] : (IMAGE) -> tensor<2x8x9x10xf32>
    %5 = stablehlo.reverse %1, dims = [1, 2] : IMAGE
    return %2, %3, %4, %5 : tensor<2x720xf32>, tensor<2x2x360xf32>, tensor<2x8x9x10xf32>, IMAGE
  )")
          .c_str(),
      2);
}

TEST(PlanarLayout, ChannelsAreShuffledPaddedSlicedAndJoined) {
  std::string text = planar("%x: IMAGE, %a: FILTER, %y: IMAGE", "tensor<2x8x9x9xf32>", R"(
    %i = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %j = CONV(%i, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %k = stablehlo.multiply %j, %i : IMAGE
    %z = stablehlo.constant dense<0.0> : tensor<2x8x10x9xf32>
    %l = stablehlo.multiply %k, %z : IMAGE
    %0 = stablehlo.add %l, %i : IMAGE
    %1 = stablehlo.reshape %0 : (IMAGE) -> tensor<2x2x4x10x9xf32>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1, 3, 4] : (tensor<2x2x4x10x9xf32>) -> tensor<2x4x2x10x9xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x4x2x10x9xf32>) -> IMAGE
    %4 = CONV(%3, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %5 = stablehlo.slice %4 [0:2, 2:6, 0:10:2, 1:9] : (IMAGE) -> tensor<2x4x5x8xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %6 = stablehlo.pad %5, %one, low = [0, 1, 2, 0], high = [0, -1, 2, 1], interior = [0, 0, 0, 0] : (tensor<2x4x5x8xf32>, tensor<f32>) -> tensor<2x4x9x9xf32>
    %7 = stablehlo.slice %y [0:2, 0:4, 1:10, 0:9] : (IMAGE) -> tensor<2x4x9x9xf32>
    %8 = stablehlo.concatenate %6, %7, dim = 1 : (tensor<2x4x9x9xf32>, tensor<2x4x9x9xf32>) -> tensor<2x8x9x9xf32>
    return %8 : tensor<2x8x9x9xf32>
  )");
  // Two images in, one out, and the shuffle itself.
  EXPECT_EQ(transposesOf(text), 4);
  expectAgreement(text.c_str(), 4);
}

TEST(PlanarLayout, ThroughCallsAndIntoLoops) {
  std::string text = planar("%x: IMAGE, %a: FILTER", "(IMAGE, tensor<8xf32>)", R"(
    %0 = CONV(%x, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %1 = call @double(%0) : (IMAGE) -> IMAGE
    %h = CONV(%1, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %null = stablehlo.constant dense<0.0> : tensor<2x8x10x9xf32>
    %nil = stablehlo.multiply %h, %null : IMAGE
    %k = stablehlo.add %nil, %1 : IMAGE
    %2 = CONV(%k, %a) PLANES : (IMAGE, FILTER) -> IMAGE
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %from = stablehlo.constant dense<0> : tensor<i32>
    %sums = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 2, 3] : (IMAGE, tensor<f32>) -> tensor<8xf32>
    %3:2 = stablehlo.while(%i = %from, %s = %sums) : tensor<i32>, tensor<8xf32>
      cond {
        %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %n = stablehlo.add %i, %one : tensor<i32>
        %r = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [0, 2, 3] : (IMAGE, tensor<f32>) -> tensor<8xf32>
        %t = stablehlo.add %s, %r : tensor<8xf32>
        stablehlo.return %n, %t : tensor<i32>, tensor<8xf32>
      }
    return %2, %3#1 : IMAGE, tensor<8xf32>
  )") + R"(
  func.func private @double(%x: tensor<2x8x10x9xf32>) -> tensor<2x8x10x9xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x8x10x9xf32>
    return %0 : tensor<2x8x10x9xf32>
  })";
  // The image in, the result out, and what the loop reads.
  EXPECT_EQ(transposesOf(text), 3);
  expectAgreement(text.c_str(), 4);
}

/// Image [3, 8, 10, 9] and gradient [3, outs, 5, 9] in `type`; `window` and so on as in
/// the text. -1: the program is not changed.
static int transposesOfGradient(const std::string &type, const std::string &result,
                                const std::string &order, int64_t groups,
                                const std::string &window,
                                int64_t outs = 16) {
  std::string image = "tensor<3x8x10x9x" + type + ">",
              gradient = "tensor<3x" + std::to_string(outs) + "x5x9x" + type + ">",
              out = "tensor<" + result + type + ">",
              text = "func.func @main(%x: " + image + ", %g: " + gradient +
                     ") -> " + out +
                     " {\n%0 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, "
                     "0, 1]x[i, o, 0, 1]->[" +
                     order + "], window = {" + window +
                     "} {batch_group_count = " + std::to_string(groups) +
                     " : i64, feature_group_count = 1 : i64} : (" + image + ", " +
                     gradient + ") -> " + out + "\nreturn %0 : " + out + "\n}";
  int transposes = transposesOf(text);
  expectAgreement(text.c_str(), 1);
  return transposes;
}

/// Image and gradient in, and the filter out where its channels do not come last.
TEST(PlanarLayout, GradientsOfFiltersInSixteenBitsOrSmallGroups) {
  const char *window = "pad = [[1, 0], [1, 1]], rhs_dilate = [2, 1]";
  for (const char *type : {"bf16", "f16"}) {
    EXPECT_EQ(transposesOfGradient(type, "16x8x3x3x", "f, b, 0, 1", 1, window), 3);
    EXPECT_EQ(transposesOfGradient(type, "3x3x8x16x", "0, 1, b, f", 1, window), 2);
    EXPECT_EQ(transposesOfGradient(type, "4x3x16x3x", "b, 0, f, 1", 2, window), 3);
  }
  EXPECT_EQ(transposesOfGradient("f32", "16x8x3x3x", "f, b, 0, 1", 1, window), -1);
  // In f32 groups of a few channels, but none that depthwise kernels sum.
  EXPECT_EQ(transposesOfGradient("f32", "24x4x3x3x", "f, b, 0, 1", 2, window, 24), 3);
  EXPECT_EQ(transposesOfGradient("f32", "16x4x3x3x", "f, b, 0, 1", 2, window), -1);
  EXPECT_EQ(transposesOfGradient(
                "bf16", "16x8x3x3x", "f, b, 0, 1", 1,
                "pad = [[1, 0], [1, 1]], rhs_dilate = [2, 1], reverse = [true, false]"),
            -1);
}
