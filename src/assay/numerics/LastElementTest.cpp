// Properties that only the last element has, or the first, for lengths below,
// at and above the block sizes of the passes: a loop that stops one element
// early shows in every result.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Metrics.h"
#include "assay/numerics/Rules.h"
#include "assay/numerics/Statistics.h"
#include "assay/numerics/Text.h"
#include "gtest/gtest.h"

#include <vector>

using namespace assay::numerics;

namespace {

constexpr int kLengths[] = {1, 2, 7, 8, 9, 64, 511, 512, 513, 1025};

ElementType typeNamed(const char *name) { return *parseElementType(name); }

/// n elements of 1, except that the last one has another value.
std::vector<std::byte> ones(ElementType type, int n, double last) {
  std::vector<double> values(static_cast<size_t>(n), 1.0);
  values.back() = last;
  std::vector<std::byte> bytes(values.size() * type.storageBytes());
  convertArray(typeNamed("f64"), values.data(), type, bytes.data(), n);
  return bytes;
}

/// Ones on both sides, except for the last elements.
PairAccumulator pairOf(const char *name, int n, double target, double bench) {
  ElementType type = typeNamed(name);
  return accumulatePair(type, ones(type, n, target).data(),
                        ones(type, n, bench).data(), n);
}

MetricValue value(const PairAccumulator &sums, const char *name) {
  return findMetric(name)->evaluate(sums);
}

TEST(LastElement, IsInTheErrorsOfEveryType) {
  for (const char *name : {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                           "i8", "i32", "i64", "ui16", "complex<f32>"})
    for (int n : kLengths) {
      PairAccumulator sums = pairOf(name, n, 3, 2);
      SCOPED_TRACE(std::string(name) + " " + std::to_string(n));
      for (const char *metric : {"MaxAbsError", "MaxRelError", "UlpMax"})
        EXPECT_EQ(value(sums, metric).index, n - 1) << metric;
      EXPECT_EQ(value(sums, "MaxAbsError").value, 1);
      EXPECT_EQ(value(sums, "MaxRelError").value, 0.5);
      EXPECT_GT(value(sums, "UlpMax").value, 0);
      EXPECT_EQ(value(sums, "Mismatches").value, 1);
      EXPECT_EQ(value(sums, "Decades").text, "1 1 1 1 1 1 1 1 1 1");
      EXPECT_DOUBLE_EQ(value(sums, "MeanAbsError").value, 1.0 / n);
      EXPECT_DOUBLE_EQ(value(sums, "Rmse").value, std::sqrt(1.0 / n));
      EXPECT_DOUBLE_EQ(value(sums, "RelL2").value, std::sqrt(1.0 / (n + 3)));
      EXPECT_DOUBLE_EQ(value(sums, "Snr").value, 10 * std::log10(n + 3.0));
      EXPECT_EQ(value(sums, "GtNum").value, 1);
      EXPECT_DOUBLE_EQ(value(sums, "IsClose").value, 100.0 * (n - 1) / n);
    }
}

TEST(LastElement, IsInTheSmallestDecade) {
  for (int n : kLengths)
    EXPECT_EQ(value(pairOf("f64", n, 1 + 5e-10, 1), "Decades").text,
              "0 0 0 0 0 0 0 0 0 1");
}

TEST(LastElement, IsTheHighestUlpQuantile) {
  // The last is half of the two elements, so it is the quantile at 0.99.
  for (const char *name : {"f64", "f32", "f16", "f8E4M3FN", "i64"})
    EXPECT_EQ(value(pairOf(name, 2, 3, 2), "UlpP99").value,
              value(pairOf(name, 1, 3, 2), "UlpP99").value)
        << name;
}

TEST(LastElement, IsInTheStatistics) {
  for (const char *name : {"f64", "f32", "f16", "bf16", "i16", "ui16", "i8",
                           "i64", "f8E4M3FN", "complex<f32>", "complex<f64>"})
    for (int n : kLengths)
      for (int last : {3, 6}) { // two, because a buffer keeps its content
        ElementType type = typeNamed(name);
        TensorStatistics s = statisticsOf(type, ones(type, n, last).data(), n);
        SCOPED_TRACE(std::string(name) + " " + std::to_string(n));
        EXPECT_EQ(s.count(), n);
        EXPECT_EQ(s.largest().value, last);
        EXPECT_EQ(s.largest().index, n - 1);
        EXPECT_EQ(s.quantile(1), last);
        EXPECT_DOUBLE_EQ(s.mean(), (n - 1.0 + last) / n);
        EXPECT_DOUBLE_EQ(s.norm(), std::sqrt(n - 1.0 + last * last));
      }
}

TEST(FirstElement, StaysTheExtremeOfLaterBlocks) {
  for (int n : kLengths)
    for (double first : {-7.0, 7.0}) {
      std::vector<double> values(static_cast<size_t>(n), 1.0), bench(values);
      values[0] = first;
      ElementType type = typeNamed("f64");
      TensorStatistics s = statisticsOf(type, values.data(), n);
      EXPECT_EQ((first < 0 ? s.smallest() : s.largest()).index, 0) << n;
      MetricValue largest = value(
          accumulatePair(type, values.data(), values.data(), n), "Argmax");
      EXPECT_EQ(largest.index, first > 0 || n == 1 ? 0 : 1) << n;
      MetricValue error = value(
          accumulatePair(type, values.data(), bench.data(), n), "MaxAbsError");
      EXPECT_EQ(error.index, 0) << n;
    }
}

TEST(LastElement, KeepsItsBytesWhereOthersAreNoNumbers) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values{nan, -4, 1, nan, 5};
  TensorStatistics s = statisticsOf(typeNamed("f32"), values.data(), 5);
  EXPECT_EQ(printElement(s.type(), s.largest().element.data()), "5");
  EXPECT_EQ(printElement(s.type(), s.smallest().element.data()), "-4");
  EXPECT_EQ(s.largest().index, 4);
  EXPECT_EQ(s.smallest().index, 1);
}

TEST(LastElement, WithoutACounterpartIsTheSampleOfTheUlps) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (int n : kLengths) {
    PairAccumulator sums = pairOf("f32", n, nan, 2);
    MetricValue ulp = value(sums, "UlpMax");
    EXPECT_EQ(ulp.index, n - 1);
    EXPECT_EQ(printElement(sums.type, sums.maxUlp.target.data()), "nan");
    EXPECT_EQ(printElement(sums.type, sums.maxUlp.bench.data()), "2");
  }
}

TEST(LastElement, BeyondTheFloatsCountsAsTheirLargest) {
  for (double sign : {1.0, -1.0}) {
    std::vector<double> values{sign, 2 * sign, 1e300 * sign};
    TensorStatistics s = statisticsOf(typeNamed("f64"), values.data(), 3);
    EXPECT_NEAR(s.quantile(sign > 0 ? 0.9 : 0.2) * sign, 3.4e38, 0.1e38);
    EXPECT_EQ((sign > 0 ? s.largest() : s.smallest()).value, 1e300 * sign);
  }
}

TEST(LastElement, EveryQuantileOfEightIsAnElement) {
  for (const char *name : {"f32", "f16", "i16", "i8"}) {
    ElementType type = typeNamed(name);
    std::vector<double> values{3, 1, 8, 6, 2, 7, 4, 5};
    std::vector<std::byte> bytes(8 * type.storageBytes());
    convertArray(typeNamed("f64"), values.data(), type, bytes.data(), 8);
    TensorStatistics s = statisticsOf(type, bytes.data(), 8);
    for (int k = 1; k <= 8; ++k)
      EXPECT_EQ(s.quantile(k / 8.0), k) << name;
  }
}

TEST(LastElement, IsTheUpperOfTwoQuantiles) {
  for (const char *name : {"f16", "bf16", "i16", "ui16", "f32"})
    for (int last : {3, 6}) {
      ElementType type = typeNamed(name);
      TensorStatistics s = statisticsOf(type, ones(type, 2, last).data(), 2);
      EXPECT_EQ(s.quantile(0.9), last) << name;
      EXPECT_EQ(s.quantile(0.1), 1) << name;
    }
}

TEST(LastElement, OfTheTruthIsInTheShadowsScale) {
  for (size_t n : {2u, 8u, 600u}) {
    std::vector<double> expected(n, 1), got(n, 1), truth(n, 1);
    expected.back() = 2; // its distance from the truth is allowed for all
    got.back() = 2.5;
    got.front() += 0.5 / std::sqrt(static_cast<double>(n));
    Judgement pair;
    pair.type = typeNamed("f64");
    pair.got = got.data();
    pair.expected = expected.data();
    pair.n = static_cast<int64_t>(n);
    pair.shadow = truth;
    Rule rule = llvm::cantFail(Rule::parse("shadow"));
    EXPECT_TRUE(llvm::cantFail(rule.judge(pair)).passed) << n;
  }
}

TEST(LastElement, IsJudgedByEveryRule) {
  for (const char *rule : {"exact", "ulp:1", "close:0.1,0.1", "dtype",
                           "benchdnn:0.1", "xray:0.1", "stablehlo:0.1"})
    for (int n : kLengths) {
      ElementType type = typeNamed("f32");
      std::vector<std::byte> got = ones(type, n, 9),
                             expected = ones(type, n, 2);
      Judgement pair;
      pair.type = type;
      pair.got = got.data();
      pair.expected = expected.data();
      pair.n = n;
      pair.maxPoints = 1;
      Verdict verdict =
          llvm::cantFail(llvm::cantFail(Rule::parse(rule)).judge(pair));
      EXPECT_FALSE(verdict.passed) << rule << " " << n;
      EXPECT_EQ(verdict.rule, rule);
      ASSERT_EQ(verdict.points.size(), 1u) << rule << " " << n;
      EXPECT_EQ(verdict.points[0].index, n - 1) << rule << " " << n;
    }
}

TEST(LastElement, OfWideComplexNumbersIsConverted) {
  ElementType quad = typeNamed("complex<f128>"), real = typeNamed("f64"),
              complex = typeNamed("complex<f64>");
  for (int n : kLengths) {
    std::vector<std::byte> values = ones(real, n, 3),
                           wide(static_cast<size_t>(n) * 32),
                           back(values.size()), both(2 * values.size());
    convertArray(real, values.data(), quad, wide.data(), n);
    convertArray(quad, wide.data(), real, back.data(), n);
    EXPECT_EQ(back, values) << n;
    convertArray(quad, wide.data(), complex, both.data(), n);
    EXPECT_EQ(both, ones(complex, n, 3)) << n;
  }
}

TEST(LastElement, OfEveryTypeIsConvertedToEveryOther) {
  const char *names[] = {
      "ui2",  "i4",   "ui4", "i8",   "ui8",      "i16",    "ui16",
      "i32",  "ui32", "i64", "ui64", "f16",      "f32",    "f64",
      "f128", "bf16", "f4E2M1FN", "f8E5M2", "f8E8M0FNU", "complex<f32>"};
  for (const char *from : names)
    for (const char *to : names)
      for (int n : kLengths) {
        std::vector<std::byte> due = ones(typeNamed(to), n, 2);
        std::vector<std::byte> got(due.size() + 1, std::byte{0x55});
        convertArray(typeNamed(from), ones(typeNamed(from), n, 2).data(),
                     typeNamed(to), got.data(), n);
        EXPECT_EQ(got.back(), std::byte{0x55}) << from << " to " << to;
        got.pop_back();
        EXPECT_EQ(got, due) << from << " to " << to << ", " << n;
      }
}

TEST(LastElement, OfNumbersWithoutAnImaginaryPartIsConvertedAlone) {
  double value = -1.5, back = 0;
  std::byte wide[32];
  convertArray(typeNamed("f64"), &value, typeNamed("complex<f128>"), wide, 1);
  convertArray(typeNamed("complex<f128>"), wide, typeNamed("f64"), &back, 1);
  EXPECT_EQ(back, value);
}

TEST(LastElement, OfEightBitsHasItsDistanceInSteps) {
  for (auto [name, steps] :
       {std::pair("f8E4M3FN", 4), std::pair("f8E5M2", 2),
        std::pair("f8E4M3B11FNUZ", 4), std::pair("f8E3M4", 8)})
    for (int n : {1, 3, 512, 514})
      EXPECT_EQ(value(pairOf(name, n, 1.5, 1), "UlpMax").value, steps)
          << name << " " << n;
}

TEST(LastElement, OfHalvesIsInTheSumsOfTheShortWay) {
  // The extreme values come first, so that later blocks only add to sums.
  ElementType type = typeNamed("f16");
  PairOptions options;
  options.full = false;
  for (int n : {544, 1024, 1056})
    for (double last : {1.25, 1 + 0x1p-10}) {
      std::vector<double> values(static_cast<size_t>(n), 1.0);
      values.front() = 1.5;
      values.back() = last;
      std::vector<std::byte> target(values.size() * 2);
      convertArray(typeNamed("f64"), values.data(), type, target.data(), n);
      PairAccumulator sums = accumulatePair(
          type, target.data(), ones(type, n, 1).data(), n, options);
      double error = last - 1;
      EXPECT_DOUBLE_EQ(sums.squaredError.value(), 0.25 + error * error);
      EXPECT_DOUBLE_EQ(sums.targetSquares.value(), n + 0.25 + last * last);
      EXPECT_EQ(sums.benchSquares.value(), n);
      EXPECT_DOUBLE_EQ(sums.products.value(), n + 0.5 + error);
      EXPECT_EQ(sums.finitePairs, n);
      EXPECT_EQ(sums.mismatches, 2) << n << " " << last;
      EXPECT_EQ(sums.close, n - (error > 1e-3 ? 2 : 1)) << n << " " << last;
      EXPECT_EQ(value(sums, "GtNum").value, 2);
    }
}

TEST(LastElement, OfAFewIsKeptWhenTheyBecomeMany) {
  std::vector<float> values(4608, 1);
  values[4095] = -3; // the last entry of the list that becomes a histogram
  TensorStatistics s = statisticsOf(typeNamed("f32"), values.data(), 4608);
  EXPECT_EQ(s.quantile(1 / 4608.0), -3);
  EXPECT_EQ(s.quantile(2 / 4608.0), 1);
}

TEST(LastRow, OfTheElementTypesIsKnown) {
  std::optional<ElementType> quad = parseElementType("f128"),
                             pair = parseElementType("complex<f128>");
  ASSERT_TRUE(quad && pair);
  EXPECT_EQ(toString(*quad), "f128");
  EXPECT_EQ(toString(*pair), "complex<f128>");
  EXPECT_EQ(quad->bits, 128);
  EXPECT_EQ(pair->part(), *quad);
  EXPECT_EQ(elementTypeFromNumpyName("float128"), quad);
  EXPECT_EQ(elementTypeFromNumpyName("uint64"), parseElementType("ui64"));
}

TEST(LastRow, OfTheMetricsIsFound) {
  for (const Metric &metric : allMetrics()) {
    EXPECT_EQ(findMetric(metric.name), &metric) << metric.name;
    EXPECT_EQ(findMetric(metric.column), &metric) << metric.column;
    EXPECT_EQ(findMetric(metric.key), &metric) << metric.key;
  }
}

TEST(LastRow, OfTheRulesIsOffered) {
  llvm::Expected<Rule> none = Rule::parse("none");
  std::string message = llvm::toString(none.takeError());
  for (const char *rule : {"bound", "dtype[", "shadow[", "ulp:", "close:",
                           "exact", "benchdnn[", "xray[", "stablehlo["})
    EXPECT_NE(message.find(rule), std::string::npos) << rule;
}

TEST(LastRow, OfARuleFileIsReadAndReplaced) {
  auto parse = [](const char *text) {
    return RuleSet::fromJson(llvm::cantFail(llvm::json::parse(text)));
  };
  llvm::Expected<RuleSet> spare = parse(R"({"spare": 1})");
  EXPECT_FALSE(static_cast<bool>(spare));
  llvm::consumeError(spare.takeError());
  RuleSet set = llvm::cantFail(parse(R"({"rules": [
      {"match": "a", "rule": "exact"}, {"match": "b", "rule": "exact"},
      {"match": "c", "rule": "exact"}]})"));
  for (const char *name : {"a", "b", "c"}) {
    EXPECT_EQ(set.ruleFor(name, typeNamed("f32")).name(), "exact") << name;
    EXPECT_EQ(set.replaced(RuleKind::Exact, Rule::ulp(3))
                  .ruleFor(name, typeNamed("f32"))
                  .name(),
              "ulp:3")
        << name;
  }
}

} // namespace
