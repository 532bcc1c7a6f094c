// A NaN on only one side fails every rule, wherever it is and whatever failed
// before it; on both sides it counts as equal.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Metrics.h"
#include "assay/numerics/Rules.h"
#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace assay::numerics;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr const char *kRules[] = {
    "dtype",         "exact",        "ulp:1e9", "close:1e9,1e9", "xray:1e9",
    "stablehlo:1e9", "benchdnn:1e9", "bound",   "shadow:1e9"};
constexpr const char *kTypes[] = {
    "f64",        "f32",       "f16",          "bf16",        "f8E4M3FN",
    "f8E5M2FNUZ", "f8E8M0FNU", "complex<f32>", "complex<f64>"};

ElementType typeNamed(llvm::StringRef name) { return *parseElementType(name); }

/// Two sides with equal elements at first; complex elements have two numbers
/// each.
struct Sides {
  Sides(const char *typeName, int n)
      : type(typeNamed(typeName)), n(n), parts(type.isComplex() ? 2 : 1),
        got(static_cast<size_t>(n * parts)) {
    for (size_t i = 0; i < got.size(); ++i)
      got[i] = std::ldexp(1, static_cast<int>(i % 3));
    expected = got;
  }

  std::vector<std::byte> stored(const std::vector<double> &values) const {
    std::vector<std::byte> bytes(values.size() * 8);
    convertArray(typeNamed("f64"), values.data(), type.part(), bytes.data(),
                 static_cast<int64_t>(values.size()));
    return bytes;
  }

  Verdict judged(llvm::StringRef rule) const {
    std::vector<std::byte> g = stored(got), e = stored(expected);
    std::vector<double> truth(got.size(), 1),
        bounds(static_cast<size_t>(n), 1e9);
    Judgement pair;
    pair.type = type;
    pair.got = g.data();
    pair.expected = e.data();
    pair.n = n;
    pair.maxPoints = 1;
    pair.shadow = truth;
    pair.bounds = bounds;
    return llvm::cantFail(llvm::cantFail(Rule::parse(rule)).judge(pair));
  }

  PairAccumulator sums(PairOptions options = {}) const {
    return accumulatePair(type, stored(got).data(), stored(expected).data(), n,
                          options);
  }

  ElementType type;
  int n, parts;
  std::vector<double> got, expected;
};

TEST(NotANumber, OnOneSideFailsEveryRuleWhereverItStands) {
  for (const char *rule : kRules)
    for (const char *type : kTypes)
      for (int n : {1, 9, 512, 515})
        for (int at : {0, n / 2, n - 1})
          for (bool onTheOther : {false, true}) {
            Sides sides(type, n);
            auto part = static_cast<size_t>(at * sides.parts);
            (onTheOther ? sides.expected : sides.got)[part] = kNan;
            Verdict verdict = sides.judged(rule);
            SCOPED_TRACE(std::string(rule) + " " + type + " " +
                         std::to_string(at) + " of " + std::to_string(n));
            EXPECT_FALSE(verdict.passed);
            EXPECT_EQ(verdict.failing, 1);
            EXPECT_EQ(verdict.worst()->index, at);
            EXPECT_TRUE(std::isinf(verdict.worst()->fraction));
          }
}

TEST(NotANumber, OnBothSidesIsEqualUnderEveryRule) {
  for (const char *rule : kRules)
    for (const char *type : kTypes) {
      Sides sides(type, 515);
      for (size_t at : {size_t(0), size_t(100), sides.got.size() - 1})
        sides.got[at] = sides.expected[at] = kNan;
      EXPECT_TRUE(sides.judged(rule).passed) << rule << " " << type;
      EXPECT_EQ(sides.sums().nonFinite.disagree, 0) << type;
      sides.got[200] += 1; // now the blocks differ in some byte
      sides.got[513] = kNan;
      EXPECT_FALSE(sides.judged(rule).passed) << rule << " " << type;
    }
}

TEST(NotANumber, OnBothSidesHasNoError) {
  for (const char *rule : kRules)
    for (const char *type : {"f64", "f16", "bf16"}) {
      Sides sides(type, 1);
      sides.got[0] = sides.expected[0] = kNan;
      JudgedPoint worst = *sides.judged(rule).worst();
      EXPECT_EQ(worst.error, 0) << rule << " " << type;
      EXPECT_EQ(worst.fraction, 0) << rule << " " << type;
    }
}

TEST(NotANumber, InEitherPartFailsAComplexElement) {
  for (const char *rule : kRules)
    for (const char *type : {"complex<f32>", "complex<f64>"})
      for (size_t part : {0, 1})
        for (bool onTheOther : {false, true}) {
          Sides sides(type, 3);
          (onTheOther ? sides.expected : sides.got)[2 + part] = kNan;
          EXPECT_EQ(sides.judged(rule).failing, 1) << rule << " " << part;
          EXPECT_EQ(sides.sums().nonFinite.disagree, 1) << type << " " << part;
          // NaN in different parts on the two sides is still a mismatch.
          (onTheOther ? sides.got : sides.expected)[3 - part] = kNan;
          EXPECT_EQ(sides.judged(rule).failing, 1) << rule << " " << part;
          EXPECT_EQ(sides.sums().nonFinite.disagree, 1) << type << " " << part;
        }
}

TEST(NotANumber, IsNotAnInfinity) {
  double inf = std::numeric_limits<double>::infinity();
  for (const char *rule : kRules)
    for (const char *type : {"f64", "f32", "f16", "bf16", "complex<f32>"})
      for (double infinity : {inf, -inf})
        for (bool onTheOther : {false, true}) {
          Sides sides(type, 9);
          (onTheOther ? sides.expected : sides.got)[4] = kNan;
          (onTheOther ? sides.got : sides.expected)[4] = infinity;
          EXPECT_FALSE(sides.judged(rule).passed) << rule << " " << type;
          EXPECT_EQ(sides.sums().nonFinite.disagree, 1) << type;
        }
}

TEST(NotANumber, IsWorseThanWhatFailedInAnEarlierBlock) {
  for (const char *rule :
       {"dtype", "ulp:1", "close:1e-3,1e-3", "xray:0.01", "stablehlo:0.01",
        "benchdnn:0.01"})
    for (const char *type : {"f64", "f32", "f16", "bf16", "complex<f32>"})
      for (bool onTheOther : {false, true}) {
        Sides sides(type, 1030);
        sides.got[0] += 8;
        size_t last = sides.got.size() - static_cast<size_t>(sides.parts);
        (onTheOther ? sides.expected : sides.got)[last] = kNan;
        Verdict verdict = sides.judged(rule);
        EXPECT_EQ(verdict.failing, 2) << rule << " " << type;
        EXPECT_EQ(verdict.worst()->index, 1029) << rule << " " << type;
      }
}

TEST(NotANumber, OnOneSidePassesNoRuleByTheSums) {
  for (const char *text : kRules)
    for (const char *type : kTypes)
      for (bool onTheOther : {false, true})
        for (bool full : {false, true}) {
          Sides sides(type, 515);
          (onTheOther ? sides.expected : sides.got).back() = kNan;
          Rule rule = llvm::cantFail(Rule::parse(text));
          PairOptions options;
          options.full = full;
          options.slope = rule.slopeFor(sides.type);
          PairAccumulator sums = sides.sums(options);
          EXPECT_FALSE(rule.passesBySums(sums)) << text << " " << type;
          EXPECT_FALSE(rule.passesBySums(sums, 1e9)) << text << " " << type;
        }
}

TEST(NotANumber, IsCountedOnItsSide) {
  for (const char *type : kTypes)
    for (bool onTheOther : {false, true}) {
      Sides sides(type, 515);
      (onTheOther ? sides.expected : sides.got).back() = kNan;
      PairAccumulator sums = sides.sums();
      EXPECT_EQ(sums.nonFinite.disagree, 1) << type;
      EXPECT_EQ(sums.nonFinite.firstDisagree, 514) << type;
      EXPECT_EQ(sums.nonFinite.targetNan, onTheOther ? 0 : 1) << type;
      EXPECT_EQ(sums.nonFinite.benchNan, onTheOther ? 1 : 0) << type;
      EXPECT_EQ(sums.mismatches, 1) << type;
      EXPECT_EQ(sums.ulpMax, kUlpMax) << type;
      EXPECT_EQ(sums.maxUlp.index, 514) << type;
      EXPECT_DOUBLE_EQ(findMetric("IsClose")->evaluate(sums).value,
                       100.0 * 514 / 515)
          << type;
      for (int64_t decade : sums.decades)
        EXPECT_EQ(decade, 1) << type;
      EXPECT_EQ(sums.greater, 1) << type;
    }
}

} // namespace
