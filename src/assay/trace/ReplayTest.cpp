// Replays: attention in every form that a dump may have, against loops written
// here; records that no program explains.
#include "assay/trace/ReplayAttention.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::trace;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

static Tensor floats(const std::vector<float> &values, tensor::Shape shape) {
  Tensor t = llvm::cantFail(Tensor::allocate(
      {ElementType::floating(FloatFormat::F32), std::move(shape)}));
  std::copy(values.begin(), values.end(), t.mutableData<float>());
  return t;
}

//===--- Attention --------------------------------------------------------===//

namespace {
enum class Seen { All, UpToItself, Block };

/// softmax(q k^T / sqrt(channels)) v in f64, a loop for each sum.
struct Attention {
  int64_t tokens = 13, heads = 2, keyHeads = 2, channels = 8;
  Seen seen = Seen::All;
  bool rotary = false, joint = false;
  std::vector<int32_t> bounds = {0, 4, 9};

  float number(int64_t i, int64_t salt) const { // in [-1, 1), without a pattern
    uint64_t x =
        (static_cast<uint64_t>(i * 31 + salt) + 1) * 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    return static_cast<float>(static_cast<int64_t>(x % 2001) - 1000) / 1000;
  }
  std::vector<float> numbers(int64_t count, int64_t salt) const {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(number(i, salt));
    return values;
  }
  bool sees(int64_t row, int64_t other) const {
    auto blockOf = [&](int64_t token) {
      int64_t block = 0;
      for (int32_t bound : bounds)
        block += bound <= token;
      return block;
    };
    return seen == Seen::All || (seen == Seen::UpToItself && other <= row) ||
           (seen == Seen::Block && blockOf(row) == blockOf(other));
  }

  /// The record that a dump has of these numbers.
  AttentionCall given(const std::vector<float> &q, const std::vector<float> &k,
                      const std::vector<float> &v,
                      const std::vector<float> &angles) const {
    int64_t width = heads * channels, keyWidth = keyHeads * channels,
            half = channels / 2;
    AttentionCall made;
    if (joint) {
      std::vector<float> all;
      for (int64_t t = 0; t < tokens; ++t)
        for (const std::vector<float> *part : {&q, &k, &v})
          all.insert(all.end(), part->begin() + t * width,
                     part->begin() + (t + 1) * width);
      made.projections = {floats(all, {tokens, 3 * width})};
    } else {
      made.projections = {floats(q, {tokens, width}),
                          floats(k, {tokens, keyWidth}),
                          floats(v, {tokens, keyWidth})};
    }
    if (rotary)
      made.others.push_back(floats(angles, {tokens, half}));
    if (seen == Seen::Block) {
      Tensor places = llvm::cantFail(Tensor::allocate(
          {ElementType::integer(32), {static_cast<int64_t>(bounds.size())}}));
      std::copy(bounds.begin(), bounds.end(), places.mutableData<int32_t>());
      made.others.push_back(std::move(places));
    }
    return made;
  }

  AttentionCall call() const {
    int64_t width = heads * channels, keyWidth = keyHeads * channels,
            half = channels / 2;
    std::vector<float> q = numbers(tokens * width, 1),
                       k = numbers(tokens * keyWidth, 2),
                       v = numbers(tokens * keyWidth, 3),
                       angles = numbers(tokens * half, 4);
    auto turned = [&](const std::vector<float> &x, int64_t whole, int64_t token,
                      int64_t head, int64_t c) {
      auto at = [&](int64_t channel) {
        return static_cast<double>(
            x[static_cast<size_t>(token * whole + head * channels + channel)]);
      };
      if (!rotary)
        return at(c);
      double angle = angles[static_cast<size_t>(token * half + c % half)];
      return c < half
                 ? at(c) * std::cos(angle) - at(c + half) * std::sin(angle)
                 : at(c) * std::cos(angle) + at(c - half) * std::sin(angle);
    };
    std::vector<float> out;
    for (int64_t row = 0; row < tokens; ++row)
      for (int64_t head = 0; head < heads; ++head) {
        int64_t keyHead = head / (heads / keyHeads);
        std::vector<double> weights;
        double sum = 0;
        for (int64_t other = 0; other < tokens; ++other) {
          double score = 0;
          for (int64_t c = 0; c < channels; ++c)
            score += turned(q, width, row, head, c) *
                     turned(k, keyWidth, other, keyHead, c);
          weights.push_back(
              sees(row, other)
                  ? std::exp(score / std::sqrt(static_cast<double>(channels)))
                  : 0);
          sum += weights.back();
        }
        for (int64_t c = 0; c < channels; ++c) {
          double value = 0;
          for (int64_t other = 0; other < tokens; ++other)
            value += weights[static_cast<size_t>(other)] *
                     v[static_cast<size_t>(other * keyWidth +
                                           keyHead * channels + c)];
          out.push_back(static_cast<float>(value / sum));
        }
      }
    AttentionCall made = given(q, k, v, angles);
    made.output = floats(out, {tokens, width});
    return made;
  }
};
} // namespace

/// The formula that explains a side; expects that it does so to the rounding.
static std::string formulaOf(const AttentionCall &call) {
  std::optional<ReplayResult> result = replayAttention(call, call);
  if (!result)
    return "none";
  EXPECT_FALSE(result->targetWrong()) << result->formula;
  EXPECT_LT(result->benchDeviation, 1e-6) << result->formula;
  return result->formula;
}

TEST(ReplayAttention, EveryFormIsFoundAndExplainedToTheRounding) {
  for (bool joint : {false, true})
    for (bool rotary : {false, true})
      for (Seen seen : {Seen::All, Seen::UpToItself, Seen::Block}) {
        Attention attention;
        attention.joint = joint, attention.rotary = rotary;
        attention.seen = seen;
        const char *mask = seen == Seen::All          ? ""
                           : seen == Seen::UpToItself ? ", causal"
                                                      : ", blocks";
        EXPECT_EQ(formulaOf(attention.call()),
                  std::string("attention (2 heads") +
                      (rotary ? ", rotary" : "") + mask + ")");
      }
}

TEST(ReplayAttention, HeadsThatShareTheirKeysAreFound) {
  Attention attention;
  attention.heads = 4, attention.seen = Seen::UpToItself;
  EXPECT_EQ(formulaOf(attention.call()), "attention (4 heads, causal)");
}

TEST(ReplayAttention, AMaskThatIsOffByOneIsWrong) {
  Attention right;
  right.seen = Seen::UpToItself;
  AttentionCall bench = right.call(), target = bench;
  // Each row sees one token more, or does not see itself.
  for (int64_t off : {1, -1}) {
    Tensor out = llvm::cantFail(Tensor::allocate(bench.output.type()));
    std::copy_n(bench.output.data<float>(), out.size(),
                out.mutableData<float>());
    // Row i of blocks whose first one ends one later or earlier.
    for (int64_t row = 1; row + 1 < right.tokens; ++row) {
      Attention other = right;
      other.seen = Seen::Block;
      other.bounds = {static_cast<int32_t>(row + 1 + off)};
      Tensor seen = other.call().output;
      std::copy_n(seen.data<float>() + row * 16, 16,
                  out.mutableData<float>() + row * 16);
    }
    target.output = out;
    std::optional<ReplayResult> result = replayAttention(target, bench);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->formula, "attention (2 heads, causal)");
    EXPECT_TRUE(result->targetWrong()) << off;
    EXPECT_TRUE(formulaOf(target) == "none") << off;
  }
}

//===--- Records without a program -----------------------------------------===//

TEST(Replay, RecordsOfOtherProgramsAreRefused) {
  auto program = llvm::cantFail(program::Program::parse(
      "func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> "
      "{\n  %0 = stablehlo.add %x, %y : tensor<2xf32>\n  func.return %0 : "
      "tensor<2xf32>\n}",
      "step"));
  Tensor two = floats({1, 2}, {2}), three = floats({1, 2, 3}, {3});
  auto said = [&](std::vector<Tensor> inputs, const Tensor &output) {
    return llvm::toString(
        deviationOf(program, 0, {std::move(inputs), output, std::nullopt})
            .takeError());
  };
  EXPECT_EQ(said({two, two}, two), ""); // other numbers, but a valid record
  EXPECT_EQ(said({two}, two), "step: 1 arguments for 2");
  EXPECT_EQ(said({two, three}, two),
            "step: its program takes tensor<2xf32>, the recording has "
            "tensor<3xf32>");
  EXPECT_EQ(said({two, two}, three),
            "its program gives tensor<2xf32>, the recording has tensor<3xf32>");
}

//===--- Programs that decide among inexact values ------------------------===//

TEST(Replay, WhatIsDecidedByRoundingIsNotJudged) {
  auto program = llvm::cantFail(program::Program::parse(R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xi1> {
  %three = stablehlo.constant dense<3.0> : tensor<8xf32>
  %y = stablehlo.divide %x, %three : tensor<8xf32>
  %z = stablehlo.multiply %y, %three : tensor<8xf32>
  %r = stablehlo.compare EQ, %x, %z : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  func.return %r : tensor<8xi1>
})",
                                                        "test"));
  ReplaySide side;
  side.inputs = {floats({1, 2, 3, 4, 5, 6, 7, 8}, {8})};
  side.output = llvm::cantFail(Tensor::allocate({ElementType::boolean(), {8}}));
  llvm::Expected<Deviation> judged =
      deviationOf({std::move(program)}, 0, side);
  ASSERT_FALSE(judged);
  EXPECT_EQ(takeError(judged.takeError()).message,
            "most of its elements depend on inexact decisions");
}

// The positions of equal elements may come in any order, but each once, and no
// other element's.
TEST(Replay, AnyOfEqualElementsIsATopElement) {
  auto program = llvm::cantFail(program::Program::parse(R"(
  func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
    %0:2 = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
  })", "test"));
  Tensor x = floats({4, 7, 4, 7, 4, 1, 2, 3, 3, 2}, {2, 5});
  auto failures = [&](const std::vector<int32_t> &places, bool anyOfTies = true) {
    Tensor output = llvm::cantFail(
        Tensor::allocate({ElementType::integer(32), {2, 3}}));
    std::copy(places.begin(), places.end(), output.mutableData<int32_t>());
    return llvm::cantFail(deviationOf(program, 1, {{x}, output, std::nullopt},
                                      /*rough=*/false, 1, anyOfTies))
        .verdict.failures;
  };
  EXPECT_EQ(failures({1, 3, 0, 2, 3, 1}), 0);
  EXPECT_EQ(failures({3, 1, 4, 3, 2, 4}), 0);
  EXPECT_GT(failures({3, 1, 4, 3, 2, 4}, /*anyOfTies=*/false), 0);
  EXPECT_EQ(failures({1, 1, 0, 2, 3, 1}), 1);  // one element twice
  EXPECT_EQ(failures({3, 0, 4, 2, 3, 4}), 1);  // 4 where 7 is
  EXPECT_EQ(failures({3, 1, 5, 2, 3, 4}), 1);  // beyond the end
  EXPECT_EQ(failures({-1, 3, 0, 2, 3, 1}), 1); // before the beginning
}
