// Judging by the errors of other evaluations, on truths and evaluations made
// here: near results pass, far ones or ones of another distribution fail, the
// rest is left open.
#include "assay/judge/program/Spread.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;

static constexpr int64_t kElements = 1000;

template <typename T>
static Tensor tensorOf(ElementType type, const std::vector<T> &values) {
  Tensor tensor = llvm::cantFail(
      Tensor::allocate({type, {static_cast<int64_t>(values.size())}}));
  std::memcpy(tensor.mutableBytes(), values.data(), values.size() * sizeof(T));
  return tensor;
}

static Tensor doubles(const std::vector<double> &values) {
  return tensorOf(ElementType::floating(FloatFormat::F64), values);
}

static Tensor floats(const std::vector<double> &values) {
  return tensorOf(ElementType::floating(FloatFormat::F32),
                  std::vector<float>(values.begin(), values.end()));
}

/// Values between one and two.
static std::vector<double> exactly() {
  std::vector<double> values(kElements);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 1 + static_cast<double>(i % 97) / 97;
  return values;
}

/// The exact results, with the same error of alternating sign everywhere.
static std::vector<double> offBy(double error) {
  std::vector<double> values = exactly();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] += i % 2 ? error : -error;
  return values;
}

namespace {
/// An f32 result whose correct evaluations are off by one, one, and sixteen
/// parts in a million, and in one element (an open decision) by a hundredth.
struct Fixture {
  ProgramTruth truth;
  std::vector<Evaluation> evaluations;
  Fixture() {
    Value value(floats(offBy(1e-6)));
    value.setShadow(doubles(exactly()));
    truth.results.push_back(std::move(value));
    truth.errors.push_back(nullptr);
    add(1, offBy(1e-6));
    std::vector<double> decided = offBy(1e-6);
    decided[500] += 0.01;
    add(1, decided);
    add(16, offBy(16e-6));
  }
  void add(double amplitude, const std::vector<double> &values) {
    std::vector<Value> results;
    results.push_back(Value(floats(values)));
    evaluations.push_back({amplitude, std::move(results)});
  }
  SpreadVerdict judge(const std::vector<double> &got) {
    return judge(got, std::vector<bool>(kElements, true));
  }
  SpreadVerdict judge(const std::vector<double> &got,
                      const std::vector<bool> &measured) {
    Tensor tensor = floats(got);
    return judgeBySpread(truth, 0, tensor.bytes(), evaluations, measured);
  }
};
} // namespace

TEST(Spread, WhatIsAsNearAsOtherEvaluationsPasses) {
  Fixture fixture;
  SpreadVerdict said = fixture.judge(offBy(3e-6));
  EXPECT_TRUE(said.passed);
  EXPECT_EQ(said.verdict.failures, 0);
  EXPECT_EQ(said.verdict.undecided, 0);
  EXPECT_NEAR(said.reach, 0.01, 1e-5);
}

TEST(Spread, AFewDecisionsOfAnotherKindAreLeftOpen) {
  Fixture fixture;
  std::vector<double> got = offBy(1e-6);
  got[10] += 0.02; // further than any evaluation there, not further than four
                   // times any
  SpreadVerdict said = fixture.judge(got);
  EXPECT_EQ(said.verdict.failures, 0);
  EXPECT_EQ(said.verdict.undecided, 1);
  EXPECT_TRUE(said.passed); // correct evaluations have one too
  got[20] += 0.02, got[30] += 0.02;
  said = fixture.judge(got);
  EXPECT_EQ(said.verdict.undecided, 3);
  EXPECT_FALSE(said.passed);
  EXPECT_TRUE(said.verdict.passed());
}

TEST(Spread, WhatNoEvaluationComesNearFails) {
  Fixture fixture;
  std::vector<double> got = offBy(1e-6);
  got[123] += 0.05;
  SpreadVerdict said = fixture.judge(got);
  EXPECT_EQ(said.verdict.failures, 1);
  ASSERT_EQ(said.verdict.worst.size(), 1u);
  EXPECT_EQ(said.verdict.worst[0].index, 123);
  EXPECT_FALSE(said.passed);
  for (double wrong : {(double)NAN, (double)INFINITY}) {
    got[123] = wrong;
    EXPECT_EQ(fixture.judge(got).verdict.failures, 1) << wrong;
  }
}

TEST(Spread, ErrorsThatAreLargerEverywhereFailThoughNoneIsFar) {
  // A thousandth everywhere: less than the reach of a hundredth, but hundreds of
  // times what any evaluation shows at half of the elements.
  Fixture fixture;
  SpreadVerdict said = fixture.judge(offBy(1e-3));
  EXPECT_GE(said.verdict.failures, kElements - 2);
  EXPECT_FALSE(said.passed);
  // In a fifth of the elements: the ninth tenth shows it.
  std::vector<double> got = offBy(1e-6), off = offBy(1e-3);
  for (size_t i = 0; i < got.size(); i += 5)
    got[i] = off[i];
  EXPECT_GE(fixture.judge(got).verdict.failures, kElements / 5 - 2);
}

TEST(Spread, OnlyWhatIsMeasuredIsJudged) {
  Fixture fixture;
  std::vector<double> got = offBy(1e-6);
  got[123] += 0.05;
  std::vector<bool> measured(kElements, true);
  measured[123] = false;
  SpreadVerdict said = fixture.judge(got, measured);
  EXPECT_TRUE(said.passed);
  EXPECT_EQ(said.verdict.elements, kElements - 1);
}

TEST(Spread, IntegersFailWhenFarMoreOfThemDifferThanInAnyEvaluation) {
  ElementType i32 = ElementType::integer(32);
  std::vector<int32_t> right(kElements, 4);
  ProgramTruth truth;
  truth.results.push_back(Value(tensorOf(i32, right)));
  truth.errors.push_back(nullptr);
  std::vector<Evaluation> evaluations;
  for (int differing : {0, 2, 5}) {
    std::vector<int32_t> values = right;
    for (int i = 0; i < differing; ++i)
      values[static_cast<size_t>(i)] = 9;
    std::vector<Value> results;
    results.push_back(Value(tensorOf(i32, values)));
    evaluations.push_back({differing == 5 ? 16.0 : 1.0, std::move(results)});
  }
  auto judge = [&](size_t differing) {
    std::vector<int32_t> got = right;
    for (size_t i = 0; i < differing; ++i)
      got[kElements - 1 - i] = 7;
    return judgeBySpread(truth, 0, got.data(), evaluations,
                         std::vector<bool>(kElements, true));
  };
  EXPECT_TRUE(judge(4).passed); // twice those of ordinary evaluations
  EXPECT_FALSE(judge(5).passed);
  EXPECT_EQ(judge(5).verdict.undecided, 5);
  // Four times five and an eighth of all is the most that decisions explain.
  EXPECT_TRUE(judge(145).verdict.passed());
  SpreadVerdict wrong = judge(146);
  EXPECT_EQ(wrong.verdict.failures, 146);
  EXPECT_EQ(wrong.verdict.failing.front(), kElements - 146);
}
