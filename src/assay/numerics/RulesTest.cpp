// Rules: their names, verdicts computed by hand, errors that `dtype` must find
// and must accept, rule sets from JSON.
#include "assay/numerics/Rules.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/FailingElements.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Ulp.h"
#include "assay/support/Error.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace assay::numerics;

static ElementType typeNamed(llvm::StringRef name) {
  return *parseElementType(name);
}

static Rule rule(llvm::StringRef text) {
  return llvm::cantFail(Rule::parse(text));
}

static Verdict judge(llvm::StringRef ruleText, const char *type,
                     const std::vector<double> &got,
                     const std::vector<double> &expected, int maxPoints = 1) {
  ElementType t = typeNamed(type);
  auto n = static_cast<int64_t>(got.size());
  std::vector<std::byte> g(n * 16), e(n * 16);
  convertArray(typeNamed("f64"), got.data(), t, g.data(), n);
  convertArray(typeNamed("f64"), expected.data(), t, e.data(), n);
  Judgement pair;
  pair.type = t;
  pair.got = g.data();
  pair.expected = e.data();
  pair.n = n;
  pair.maxPoints = maxPoints;
  return llvm::cantFail(rule(ruleText).judge(pair));
}

TEST(Rules, NamesReadBack) {
  for (const char *text :
       {"bound", "dtype", "shadow", "exact", "ulp:3", "ulp:0",
        "close:0.001,1e-05", "benchdnn", "xray", "stablehlo", "dtype:2",
        "xray:0.5", "benchdnn:0.001"})
    EXPECT_EQ(rule(text).name(), text);
  auto message = [](const char *text) {
    return assay::takeError(Rule::parse(text).takeError()).message;
  };
  EXPECT_EQ(message("tight"),
            "'tight' is not a rule: expected one of bound, dtype[:FACTOR], "
            "shadow[:FACTOR], ulp:N, close:RTOL,ATOL, exact, "
            "benchdnn[:THRESHOLD], xray[:MAXERR], stablehlo[:TOLERANCE], or a "
            "JSON file");
  EXPECT_EQ(message("ulp:-1"),
            "rule 'ulp:-1': '-1' is not a number of at least 0 (ulp:N)");
  for (const char *bad : {"ulp", "close:1", "exact:1", "dtype:", "close:1,2,3"})
    EXPECT_FALSE(bool(Rule::parse(bad)) || false) << bad;
}

TEST(Rules, UlpCloseExactByHand) {
  EXPECT_TRUE(judge("ulp:2", "bf16", {1 + 0x1p-6}, {1}).passed);
  Verdict v = judge("ulp:1", "bf16", {1, 1 + 0x1p-6}, {1, 1});
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.failing, 1);
  EXPECT_EQ(v.worst()->index, 1);
  EXPECT_EQ(v.worst()->ulp, 2u);
  EXPECT_EQ(v.text(), "1 of 2 elements fails rule ulp:1; worst at [1]: got "
                      "1.016, expected 1, error 0.015625, bound 1 (2 times the "
                      "bound), 2 ulp");
  EXPECT_TRUE(judge("close:0.1,0.5", "f32", {11.5, -1.4}, {10, -1}).passed);
  EXPECT_FALSE(judge("close:0.1,0.5", "f32", {11.6}, {10}).passed);
  EXPECT_TRUE(judge("exact", "f32", {0.0, 1}, {-0.0, 1}).passed);
  EXPECT_FALSE(judge("exact", "i64", {5}, {6}).passed);
}

TEST(Rules, SeedsRulesByHand) {
  EXPECT_TRUE(judge("xray", "f32", {1.0078125}, {1}).passed);
  EXPECT_FALSE(judge("xray", "f32", {1.015625}, {1}).passed);
  EXPECT_TRUE(judge("stablehlo", "f32", {1.00009}, {1}).passed);
  EXPECT_FALSE(judge("stablehlo", "f32", {1.00011}, {1}).passed);
  EXPECT_FALSE(judge("stablehlo", "i32", {1}, {2}).passed);
  EXPECT_TRUE(judge("benchdnn", "f32", {1e-8}, {0}).passed);
  EXPECT_FALSE(judge("benchdnn", "f32", {100.00001}, {100}).passed);
  EXPECT_TRUE(judge("benchdnn:1e-6", "f32", {100.00001}, {100}).passed);
}

TEST(Rules, NonFiniteMustAgreeUnderEveryRule) {
  double inf = std::numeric_limits<double>::infinity(),
         nan = std::numeric_limits<double>::quiet_NaN();
  for (const char *text : {"dtype", "exact", "ulp:9", "close:1,1", "xray",
                           "stablehlo", "benchdnn"}) {
    EXPECT_TRUE(judge(text, "f32", {nan, inf, 1}, {nan, inf, 1}).passed)
        << text;
    EXPECT_FALSE(judge(text, "f32", {nan, 1}, {2, 1}).passed) << text;
    EXPECT_FALSE(judge(text, "f16", {65504, 1}, {inf, 1}).passed) << text;
    EXPECT_FALSE(judge(text, "f32", {-inf, 1}, {inf, 1}).passed) << text;
    EXPECT_FALSE(judge(text, "complex<f32>", {nan, 1}, {1, 1}).passed) << text;
  }
  Verdict v = judge("dtype", "f32", {inf, 1}, {1, 1});
  EXPECT_EQ(v.text(), "1 of 2 elements fails rule dtype; worst at [0]: got "
                      "inf, expected 1, error inf, bound 0 (inf times the "
                      "bound), not comparable in ulp");
}

/// Normal data with one element changed by `change`.
template <typename T> static std::vector<T> normalData(int n) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<T> values(n);
  for (T &x : values)
    x = convertElement<T>(normal(random) *
                          (FloatValue<T> || ComplexValue<T> ? 1.0 : 3.0));
  return values;
}

template <typename T>
static bool dtypePasses(const std::vector<T> &got,
                        const std::vector<T> &expected) {
  Judgement pair;
  pair.type = elementTypeOf<T>();
  pair.got = got.data();
  pair.expected = expected.data();
  pair.n = static_cast<int64_t>(got.size());
  return llvm::cantFail(Rule::dtype().judge(pair)).passed;
}

template <typename T> static void catchesThousandthOfRms() {
  std::vector<T> expected = normalData<T>(4000);
  ASSERT_TRUE(dtypePasses(expected, expected));
  for (int i = 0; i < 4000; ++i) {
    std::vector<T> got = expected;
    got[i] = got[i] + T(1e-3);
    ASSERT_FALSE(dtypePasses(got, expected))
        << toString(elementTypeOf<T>()) << " element " << i;
  }
}

TEST(DtypeRule, CatchesOneElementOffByAThousandthOfTheRms) {
  catchesThousandthOfRms<float>();
  catchesThousandthOfRms<double>();
  catchesThousandthOfRms<std::complex<float>>();
  catchesThousandthOfRms<std::complex<double>>();
}

TEST(DtypeRule, CatchesThirtyTwoUlpAtRmsMagnitudeInNarrowFloats) {
  dispatch<NarrowFloatTypes>(typeNamed("bf16"), [](auto) {});
  for (const char *name :
       {"f16", "bf16", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ",
        "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f6E2M3FN", "f6E3M2FN"})
    dispatch<NarrowFloatTypes>(typeNamed(name), [&](auto tag) {
      using T = typename decltype(tag)::Type;
      for (int direction : {-32, 32}) {
        std::vector<T> expected = normalData<T>(256), got;
        expected[100] = T(1.0f);
        got = expected;
        int64_t position = orderedInteger(T(1.0f)) + direction;
        if (std::abs(position) >
            static_cast<int64_t>(formatInfo(T::kFormat).maxFiniteCode()))
          continue; // no number is 32 ULP away in this direction
        got[100] = fromOrderedInteger<T>(position);
        EXPECT_EQ(ulpDistance(got[100], expected[100]), 32u);
        EXPECT_FALSE(dtypePasses(got, expected)) << name << " by " << direction;
      }
      // The worst case: a large element that is off by 32 ULP of the RMS's
      // binade.
      std::vector<T> expected = normalData<T>(256), got;
      if (ValueTraits<T>::kBits == 16) {
        expected[7] = T(4.5f);
        got = expected;
        got[7] = T(4.5 + 32 * ulpOf(1.0, T::kFormat));
        EXPECT_FALSE(dtypePasses(got, expected)) << name;
      }
    });
}

TEST(DtypeRule, CatchesOneInIntegersAndOneBool) {
  std::vector<int32_t> expected = normalData<int32_t>(100), got = expected;
  got[3] += 1;
  EXPECT_FALSE(dtypePasses(got, expected));
  std::vector<Pred> p(10, Pred(true)), q = p;
  q[9] = Pred(false);
  EXPECT_FALSE(dtypePasses(q, p));
}

TEST(DtypeRule, AcceptsRoundingNoiseOfEachType) {
  dispatch<FloatTypes>(typeNamed("f32"), [](auto) {});
  for (const char *name : {"f16", "bf16", "f8E4M3FN", "f8E5M2", "f32", "f64",
                           "f4E2M1FN", "f8E8M0FNU"})
    dispatch<FloatTypes>(typeNamed(name), [&](auto tag) {
      using T = typename decltype(tag)::Type;
      std::vector<T> expected = normalData<T>(1000), got;
      for (T x : expected)
        got.push_back(nextUp(x));
      EXPECT_TRUE(dtypePasses(got, expected)) << name;
    });
}

/// Whether the sums of a pair prove that the rule passes.
static bool passesBySums(llvm::StringRef ruleText, const char *type,
                         const std::vector<double> &got,
                         const std::vector<double> &expected) {
  ElementType t = typeNamed(type);
  auto n = static_cast<int64_t>(got.size());
  std::vector<std::byte> g(n * 16), e(n * 16);
  convertArray(typeNamed("f64"), got.data(), t, g.data(), n);
  convertArray(typeNamed("f64"), expected.data(), t, e.data(), n);
  Rule r = rule(ruleText);
  PairOptions options;
  options.full = false;
  options.slope = r.slopeFor(t);
  return r.passesBySums(accumulatePair(t, g.data(), e.data(), n, options));
}

TEST(RulesBySums, NeverPassWhatAnElementFails) {
  double inf = std::numeric_limits<double>::infinity(),
         nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> expected(1300);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::sin(0.7 * static_cast<double>(i)) * 3;
  for (const char *text :
       {"dtype", "close:1e-3,1e-3", "xray", "ulp:8", "exact", "benchdnn"})
    for (const char *type : {"f32", "f16", "bf16", "f64", "complex<f32>"})
      for (size_t at : {0, 511, 512, 1024, 1299})
        for (bool onTheOtherSide : {false, true})
          for (double wrong : {nan, inf, -inf, expected[at] + 0.5}) {
            std::vector<double> got = expected;
            got[at] = wrong;
            const auto &left = onTheOtherSide ? expected : got,
                       &right = onTheOtherSide ? got : expected;
            EXPECT_FALSE(judge(text, type, left, right).passed)
                << text << " " << type << " " << at << " " << wrong;
            EXPECT_FALSE(passesBySums(text, type, left, right))
                << text << " " << type << " " << at << " " << wrong;
          }
}

TEST(RulesBySums, PassRoundingNoiseWithoutALookAtTheElements) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> expected(1300), got(1300);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::sin(0.7 * static_cast<double>(i)) * 3;
    got[i] = expected[i] * (i % 3 ? 1 : 1 + 0x1p-23);
  }
  got[77] = expected[77] = nan; // NaN on both sides is equal
  for (const char *text : {"dtype", "close:1e-3,1e-3", "xray", "ulp:8"})
    EXPECT_TRUE(passesBySums(text, "f32", got, expected)) << text;
  EXPECT_TRUE(passesBySums("dtype", "i32", {1, 2, 3}, {1, 2, 3}));
  EXPECT_FALSE(passesBySums("dtype", "i32", {1, 2, 3}, {1, 2, 4}));
}

TEST(RulesBySums, ScaleOfTheCallerReplacesThatOfTheBench) {
  // The error is ten times the one that rule dtype allows at the bench's scale.
  // The caller passes a scale of 100 to allow for errors of earlier tensors.
  float expected[4] = {1, -1, 1, -1}, got[4] = {1.001f, -1, 1, -1};
  PairOptions options;
  options.slope = Rule::dtype().slopeFor(typeNamed("f32"));
  PairAccumulator sums =
      accumulatePair(typeNamed("f32"), got, expected, 4, options);
  EXPECT_FALSE(Rule::dtype().passesBySums(sums));
  EXPECT_TRUE(Rule::dtype().passesBySums(sums, 100));
  EXPECT_FALSE(Rule::dtype().passesBySums(sums, 1));
}

TEST(DtypeRule, AllowsItsConstantTimesElementAndScaleAndNoMore) {
  // Two elements of about 1: the scale is 1, so 2 * 5e-5 is allowed.
  EXPECT_TRUE(judge("dtype", "f32", {1 + 0.98e-4, 1}, {1, 1}).passed);
  EXPECT_FALSE(judge("dtype", "f32", {1 + 1.03e-4, 1}, {1, 1}).passed);
  EXPECT_TRUE(judge("dtype:3", "f32", {1 + 2.94e-4, 1}, {1, 1}).passed);
}

TEST(Rules, ABoundIsABoundToTheLastPart) {
  EXPECT_TRUE(judge("close:0,0.5", "f64", {1.5}, {1}).passed);
  EXPECT_FALSE(judge("close:0,0.5", "f64", {1.5001}, {1}).passed);
  EXPECT_FALSE(judge("ulp:0", "f32", {1 + 0x1p-23}, {1}).passed);
  EXPECT_TRUE(judge("ulp:0", "f32", {1}, {1}).passed);
}

TEST(Rules, FractionsAreSharesOfTheBound) {
  Verdict v = judge("ulp:4", "f32", {1, 1 + 0x1p-23, 1 + 0x1p-22}, {1, 1, 1},
                    /*maxPoints=*/3);
  ASSERT_EQ(v.points.size(), 3u);
  EXPECT_EQ(v.points[0].fraction, 0.5);
  EXPECT_EQ(v.points[1].fraction, 0.25);
  EXPECT_EQ(v.points[2].fraction, 0);
}

TEST(Rules, TheWorstPointIsTheLargestShareOfItsBound) {
  // An error of 200 with a bound of 100, and one of 0.5 with a bound of 0.1.
  Verdict v = judge("close:0.1,0", "f64", {1200, 1.5}, {1000, 1});
  EXPECT_EQ(v.failing, 2);
  EXPECT_EQ(v.worst()->index, 1);
}

TEST(Rules, StablehloLooksAtBothPartsOfAComplexElement) {
  float expected[2] = {1, 2};
  for (int part : {0, 1}) {
    float got[2] = {1, 2};
    got[part] += 0.5f;
    Judgement pair;
    pair.type = typeNamed("complex<f32>");
    pair.got = got;
    pair.expected = expected;
    pair.n = 1;
    Verdict v = llvm::cantFail(rule("stablehlo").judge(pair));
    EXPECT_FALSE(v.passed) << part;
    EXPECT_EQ(v.worst()->error, 0.5) << part;
  }
}

TEST(Rules, BenchdnnIsRelativeFromATenOfAThousandthOn) {
  EXPECT_FALSE(judge("benchdnn:0.01", "f32", {1.05e-3}, {1e-3}).passed);
  EXPECT_TRUE(judge("benchdnn:0.01", "f32", {1.005e-3}, {1e-3}).passed);
  EXPECT_FALSE(judge("benchdnn:0.01", "f32", {102}, {100}).passed);
}

TEST(Rules, BoundAndShadowUseWhatTheyAreGiven) {
  float got[2] = {1.0f, 2.5f}, expected[2] = {1.0f, 2.0f};
  Judgement pair;
  pair.type = typeNamed("f32");
  pair.got = got;
  pair.expected = expected;
  pair.n = 2;
  EXPECT_EQ(assay::takeError(Rule::bound().judge(pair).takeError()).message,
            "rule 'bound' needs a derived bound for each of the 2 elements and "
            "has 0; use rule 'dtype' for programs whose "
            "operations have no bound");
  double bounds[2] = {0, 0.5}, tight[2] = {0, 0.4};
  pair.bounds = bounds;
  EXPECT_TRUE(llvm::cantFail(Rule::bound().judge(pair)).passed);
  pair.bounds = tight;
  EXPECT_FALSE(llvm::cantFail(Rule::bound().judge(pair)).passed);
  // The truth is 2.25: both sides are off by the same amount, so got is as good
  // as expected.
  double shadow[2] = {1, 2.25}, other[2] = {1, 2.0001};
  pair.shadow = shadow;
  EXPECT_TRUE(llvm::cantFail(rule("shadow").judge(pair)).passed);
  pair.shadow = other;
  EXPECT_FALSE(llvm::cantFail(rule("shadow").judge(pair)).passed);
}

TEST(Rules, TheShadowOfComplexElementsHasBothParts) {
  float got[4] = {1, 2, 3, 4.5f}, expected[4] = {1, 2, 3, 4};
  double shadow[4] = {1, 2, 3, 4.25}, far[4] = {1, 2, 3, 4.0001};
  Judgement pair;
  pair.type = typeNamed("complex<f32>");
  pair.got = got;
  pair.expected = expected;
  pair.n = 2;
  pair.shadow = shadow; // both sides are off by a quarter
  EXPECT_TRUE(llvm::cantFail(rule("shadow").judge(pair)).passed);
  pair.shadow = far;
  Verdict wrong = llvm::cantFail(rule("shadow").judge(pair));
  EXPECT_EQ(wrong.failing, 1);
  EXPECT_EQ(wrong.worst()->index, 1);
  pair.shadow = llvm::ArrayRef<double>(shadow, 2);
  EXPECT_EQ(assay::takeError(rule("shadow").judge(pair).takeError()).message,
            "rule 'shadow' needs a true value for each of the 4 elements and "
            "has 2; run with a shadow");
}

TEST(Rules, WorstPointsComeSortedAndIndexedByShape) {
  std::vector<float> expected(2000, 1.0f), got = expected;
  got[5] = 1.5f, got[1500] = 3, got[1999] = 2;
  Judgement pair;
  pair.type = typeNamed("f32");
  pair.got = got.data();
  pair.expected = expected.data();
  pair.n = 2000;
  int64_t shape[2] = {20, 100};
  pair.shape = shape;
  pair.maxPoints = 2;
  Verdict v = llvm::cantFail(Rule::dtype().judge(pair));
  EXPECT_EQ(v.failing, 3);
  ASSERT_EQ(v.points.size(), 2u);
  EXPECT_EQ(v.points[0].index, 1500);
  EXPECT_EQ(v.points[1].index, 1999);
  EXPECT_NE(v.text().find("worst at [15, 0]: got 3, expected 1, error 2"),
            std::string::npos)
      << v.text();
}

TEST(RuleSet, PicksTheFirstEntryThatFits) {
  auto json = llvm::cantFail(llvm::json::parse(
      R"({"default": "xray", "rules": [
          {"match": "^logits", "rule": "close:1e-2,0"},
          {"dtype": "bf16", "rule": "ulp:4"}]})"));
  RuleSet set = llvm::cantFail(RuleSet::fromJson(json));
  EXPECT_EQ(set.ruleFor("logits.0", typeNamed("bf16")).name(), "close:0.01,0");
  EXPECT_EQ(set.ruleFor("x", typeNamed("bf16")).name(), "ulp:4");
  EXPECT_EQ(set.ruleFor("x", typeNamed("f32")).name(), "xray");
  auto message = [](const char *text) {
    llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
    return assay::takeError(RuleSet::fromJson(value).takeError()).message;
  };
  EXPECT_EQ(message(R"({"rules": [{"match": "a"}]})"),
            "rules[0]: expected an object with a \"rule\"");
  EXPECT_EQ(message(R"({"rule": []})"),
            "unknown key 'rule': expected default or rules");
  EXPECT_EQ(message(R"({"rules": [{"dtype": "float", "rule": "dtype"}]})"),
            "rules[0]: 'float' is not an element type (f32, bf16, i8, ...)");
}

TEST(RuleSet, KnowsWhichKindsItUsesAndReplacesThem) {
  auto parse = [](const char *text) {
    return llvm::cantFail(
        RuleSet::fromJson(llvm::cantFail(llvm::json::parse(text))));
  };
  RuleSet inDefault = llvm::cantFail(RuleSet::parse("shadow:2"));
  EXPECT_TRUE(inDefault.uses(RuleKind::Shadow));
  EXPECT_FALSE(inDefault.uses(RuleKind::Dtype));
  EXPECT_EQ(inDefault.replaced(RuleKind::Shadow, Rule::dtype()).name(),
            "dtype");
  EXPECT_EQ(inDefault.replaced(RuleKind::Exact, Rule::dtype()).name(),
            "shadow:2");

  RuleSet inEntry = parse(R"({"default": "exact", "rules": [
      {"match": "a", "rule": "ulp:4"}, {"match": "b", "rule": "shadow"}]})");
  EXPECT_TRUE(inEntry.uses(RuleKind::Shadow));
  EXPECT_FALSE(inEntry.uses(RuleKind::Dtype));
  RuleSet without = inEntry.replaced(RuleKind::Shadow, Rule::dtype());
  EXPECT_FALSE(without.uses(RuleKind::Shadow));
  EXPECT_EQ(without.ruleFor("b", typeNamed("f32")).name(), "dtype");
  EXPECT_EQ(without.ruleFor("a", typeNamed("f32")).name(), "ulp:4");
  EXPECT_EQ(without.ruleFor("c", typeNamed("f32")).name(), "exact");
}

// The scale includes all elements, even one after the last whole block.
TEST(DtypeRule, TheScaleIncludesTheLastElement) {
  std::vector<double> expected(513, 0.0), got(513, 0.0);
  expected.back() = got.back() = 1e6;
  got.front() = 2; // RMS 44,150: 2.2 is allowed at zero
  EXPECT_TRUE(judge("dtype", "f32", got, expected).passed);
  got.front() = 2.3;
  EXPECT_FALSE(judge("dtype", "f32", got, expected).passed);
}

TEST(DtypeRule, TheScaleOfHalvesIncludesTheLastElement) {
  std::vector<double> expected(1025, 0.0), got(1025, 0.0);
  expected.back() = got.back() = 60000;
  got.front() = 1;
  EXPECT_TRUE(judge("dtype", "f16", got, expected).passed);
  EXPECT_TRUE(judge("dtype", "bf16", got, expected).passed);
}

// Only the last element's expected value is off the truth; its error is allowed
// for all elements.
TEST(Rules, TheShadowsScaleIncludesTheLastElement) {
  for (size_t n : {2u, 5u, 513u}) {
    std::vector<float> expected(n, 1), got(n, 1);
    std::vector<double> shadow(n, 1);
    expected.back() = got.back() = 1.5f;
    got.front() = 1 + 0.4f / std::sqrt(static_cast<float>(n));
    Judgement pair;
    pair.type = typeNamed("f32");
    pair.got = got.data();
    pair.expected = expected.data();
    pair.n = static_cast<int64_t>(n);
    pair.shadow = shadow;
    EXPECT_TRUE(llvm::cantFail(rule("shadow").judge(pair)).passed) << n;
    got.front() = 5;
    EXPECT_FALSE(llvm::cantFail(rule("shadow").judge(pair)).passed) << n;
  }
}

TEST(Rules, TheShadowsScaleOfOneElementIsItsError) {
  double expected = 1.5, got = 0.75, shadow = 1;
  Judgement pair;
  pair.type = typeNamed("f64");
  pair.got = &got;
  pair.expected = &expected;
  pair.n = 1;
  pair.shadow = llvm::ArrayRef(&shadow, 1);
  EXPECT_TRUE(llvm::cantFail(rule("shadow").judge(pair)).passed);
}

TEST(Rules, NumbersThatBoundNothingAreRefused) {
  for (const char *bad : {"close:inf,0", "close:0,inf", "ulp:nan", "dtype:nan",
                          "xray:inf", "close:nan,0", "ulp:", "close:,1"})
    EXPECT_FALSE(static_cast<bool>(Rule::parse(bad)) || false) << bad;
}

TEST(RuleSet, AnEntryWantsItsNameAndItsType) {
  auto parse = [](const char *text) {
    return RuleSet::fromJson(llvm::cantFail(llvm::json::parse(text)));
  };
  RuleSet set = llvm::cantFail(parse(
      R"({"rules": [{"match": "^logits", "dtype": "bf16", "rule": "exact"}]})"));
  EXPECT_EQ(set.ruleFor("logits.0", typeNamed("bf16")).name(), "exact");
  EXPECT_EQ(set.ruleFor("logits.0", typeNamed("f32")).name(), "dtype");
  EXPECT_EQ(set.ruleFor("x", typeNamed("bf16")).name(), "dtype");
  EXPECT_EQ(set.name(), "dtype + 1 entries");
  std::string message =
      assay::takeError(
          parse(R"({"rules": [{"match": "(", "rule": "exact"}]})").takeError())
          .message;
  EXPECT_TRUE(llvm::StringRef(message).starts_with(
      "rules[0]: \"match\" is not a regular expression: "))
      << message;
}

// The second block is skipped by the worst fraction so far, which must multiply
// both numbers of the rule.
TEST(Rules, BothNumbersOfCloseCountInEveryBlock) {
  std::vector<double> expected(1300, 1000), got = expected;
  got[3] += 0.25; // half of the bound
  for (size_t at : {700u, 1299u}) {
    std::vector<double> wrong = got;
    wrong[at] += 0.75;
    EXPECT_TRUE(judge("close:0,0.5", "f64", got, expected).passed);
    EXPECT_FALSE(judge("close:0,0.5", "f64", wrong, expected).passed) << at;
    EXPECT_FALSE(judge("close:0.0005,0", "f64", wrong, expected).passed) << at;
    EXPECT_TRUE(judge("close:0.0008,0", "f64", wrong, expected).passed) << at;
  }
}

TEST(Rules, MildFailuresBehindABadOneAreCounted) {
  for (const char *text : {"dtype", "close:1e-3,1e-3", "xray", "stablehlo"}) {
    std::vector<double> expected(1300, 1), got = expected;
    got[0] += 1000;
    got[600] += 0.5;
    got[1299] += 0.25;
    EXPECT_EQ(judge(text, "f32", got, expected).failing, 3) << text;
  }
}

TEST(Rules, AmongEqualSharesTheLargerErrorIsTheWorst) {
  Verdict v = judge("exact", "f32", {1.5, 4, 2}, {1, 1, 1});
  EXPECT_EQ(v.failing, 3);
  EXPECT_EQ(v.worst()->index, 1);
  EXPECT_EQ(v.worst()->error, 3);
}

TEST(DtypeRule, TheScaleOfComplexElementsIsThatOfTheirModuli) {
  // Moduli and scale are 5: 5e-5 * (5 + 5) is allowed.
  const float expected[4] = {3, 4, 4, 3};
  for (auto [error, passes] : {std::pair(4.8e-4f, true), {5.2e-4f, false}}) {
    const float got[4] = {3, 4, 4, 3 + error};
    Judgement pair;
    pair.type = typeNamed("complex<f32>");
    pair.got = got;
    pair.expected = expected;
    pair.n = 2;
    EXPECT_EQ(llvm::cantFail(Rule::dtype().judge(pair)).passed, passes)
        << error;
  }
}

TEST(DtypeRule, TheScaleIsThatOfTheFiniteElements) {
  double inf = std::numeric_limits<double>::infinity();
  std::vector<double> expected(6, 1), got(6, 1);
  expected[0] = got[0] = inf;
  expected[5] = got[5] = -inf;
  got[2] = 1 + 0.98e-4; // element and scale are 1
  EXPECT_TRUE(judge("dtype", "f32", got, expected).passed);
  got[2] = 1 + 1.02e-4;
  EXPECT_FALSE(judge("dtype", "f32", got, expected).passed);
}

TEST(DtypeRule, FlushingIsAllowedWhereItCostsNothing) {
  // f32 and bf16: anything below the smallest normal number, 1.2e-38. f16: one
  // step, 6e-8.
  EXPECT_TRUE(judge("dtype", "f32", {0, 0}, {1e-38, 0}).passed);
  EXPECT_TRUE(judge("dtype", "bf16", {0, 0}, {1e-38, 0}).passed);
  EXPECT_FALSE(judge("dtype", "f32", {0, 0}, {1.3e-38, 0}).passed);
  EXPECT_FALSE(judge("dtype", "f16", {0, 0}, {3e-5, 0}).passed);
  EXPECT_TRUE(judge("dtype", "f16", {0, 0}, {5.9e-8, 0}).passed);
}

TEST(DtypeRule, DoublesAgreeToNineDigits) {
  EXPECT_TRUE(judge("dtype", "f64", {1 + 1.9e-9, 1}, {1, 1}).passed);
  EXPECT_FALSE(judge("dtype", "f64", {1 + 2.1e-9, 1}, {1, 1}).passed);
  EXPECT_EQ(dtypeConstant(typeNamed("f8E4M3FN")), 0.125);
  EXPECT_EQ(dtypeConstant(typeNamed("i32")), 0);
}

TEST(DtypeRule, ScalesOfMxFormatsMayBeOneFactorOfTwoApart) {
  EXPECT_TRUE(judge("dtype", "f8E8M0FNU", {2, 1}, {1, 1}).passed);
  EXPECT_FALSE(judge("dtype", "f8E8M0FNU", {4, 1}, {1, 1}).passed);
}

TEST(Rules, IntegersHaveNoTolerance) {
  for (const char *text : {"benchdnn:0.01", "stablehlo:5", "dtype:1000"})
    EXPECT_FALSE(judge(text, "i32", {1000001}, {1000000}).passed) << text;
  const int32_t got[2] = {7, 8}, expected[2] = {7, 9};
  Judgement pair;
  pair.type = typeNamed("i32");
  pair.got = got;
  pair.expected = expected;
  pair.n = 2;
  EXPECT_EQ(llvm::cantFail(rule("shadow").judge(pair)).failing, 1);
}

TEST(Rules, OneBoundServesAllElements) {
  const float got[3] = {1, 2.5f, 3}, expected[3] = {1, 2, 3};
  Judgement pair;
  pair.type = typeNamed("f32");
  pair.got = got;
  pair.expected = expected;
  pair.n = 3;
  double bound = 0.5;
  pair.bounds = llvm::ArrayRef(&bound, 1);
  EXPECT_TRUE(llvm::cantFail(Rule::bound().judge(pair)).passed);
  bound = 0.4;
  EXPECT_FALSE(llvm::cantFail(Rule::bound().judge(pair)).passed);
}

TEST(Rules, WhereTheTruthIsNotANumberTheShadowSaysNothing) {
  const float got[2] = {1, 5}, expected[2] = {1, 2};
  double shadow[2] = {1, std::numeric_limits<double>::quiet_NaN()};
  Judgement pair;
  pair.type = typeNamed("f32");
  pair.got = got;
  pair.expected = expected;
  pair.n = 2;
  pair.shadow = shadow;
  EXPECT_TRUE(llvm::cantFail(rule("shadow").judge(pair)).passed);
}

TEST(Rules, FailingElementsAreThoseWhoseShareIsAboveOne) {
  // Several blocks, some of them equal, with a NaN and fractions of every size.
  std::mt19937 random(3);
  std::vector<double> expected(3000), got, shadow;
  for (double &x : expected)
    x = std::uniform_real_distribution<double>(-2, 2)(random);
  for (size_t i = 0; i < expected.size(); ++i) {
    bool off = i > 1100 && i < 2500 && i % 3 == 0;
    got.push_back(expected[i] +
                  (off ? std::ldexp(1.0, -static_cast<int>(i % 23)) : 0));
    shadow.push_back(expected[i]);
  }
  got[700] = NAN;
  for (const char *type : {"f32", "bf16", "f64", "i32"})
    for (const char *text :
         {"dtype", "ulp:3", "close:1e-3,1e-5", "close:0,0.25", "exact",
          "benchdnn", "xray", "stablehlo", "shadow", "bound"}) {
      ElementType t = typeNamed(type);
      auto n = static_cast<int64_t>(got.size());
      std::vector<double> a = got, b = expected;
      for (std::vector<double> *side : {&a, &b})
        for (double &x : *side)
          x = type[0] == 'i' ? std::rint(std::isnan(x) ? 9 : 4 * x) : x;
      std::vector<std::byte> g(n * 16), e(n * 16);
      convertArray(typeNamed("f64"), a.data(), t, g.data(), n);
      convertArray(typeNamed("f64"), b.data(), t, e.data(), n);
      std::vector<double> bounds(got.size(), 1e-3);
      Judgement pair;
      pair.type = t;
      pair.got = g.data();
      pair.expected = e.data();
      pair.n = n;
      pair.shadow = shadow;
      pair.bounds = bounds;
      std::vector<int64_t> failing =
          llvm::cantFail(failingElements(rule(text), pair));
      EXPECT_TRUE(llvm::is_sorted(failing));
      pair.maxPoints = static_cast<int>(n); // keep all points with their
                                            // fractions
      Verdict verdict = llvm::cantFail(rule(text).judge(pair));
      std::set<int64_t> due;
      for (const JudgedPoint &point : verdict.points)
        if (point.fraction > 1)
          due.insert(point.index);
      EXPECT_EQ(verdict.failing, static_cast<int64_t>(due.size()));
      EXPECT_GT(due.size(), 0u) << text << " " << type;
      EXPECT_EQ(std::set<int64_t>(failing.begin(), failing.end()), due)
          << text << " " << type;
    }
  Judgement none;
  none.type = typeNamed("f32");
  none.n = 3;
  EXPECT_FALSE(bool(failingElements(rule("shadow"), none)) || false);
}
