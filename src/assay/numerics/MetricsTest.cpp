// Every metric of Metrics.def on data whose values were worked out by hand, and
// the pass itself compared with a plain element-by-element computation for many
// types, sizes, splits and threads.
#include "assay/numerics/Metrics.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <vector>

using namespace assay::numerics;

static constexpr double kInf = std::numeric_limits<double>::infinity();
static const double kNan = std::numeric_limits<double>::quiet_NaN();

static ElementType typeNamed(const char *name) {
  return *parseElementType(name);
}

static std::vector<std::byte> elements(ElementType type,
                                       const std::vector<double> &values) {
  std::vector<std::byte> bytes(values.size() * type.storageBytes());
  convertArray(typeNamed("f64"), values.data(), type, bytes.data(),
               static_cast<int64_t>(values.size()));
  return bytes;
}

static PairAccumulator pair(const char *name, const std::vector<double> &target,
                            const std::vector<double> &bench) {
  ElementType type = typeNamed(name);
  return accumulatePair(type, elements(type, target).data(),
                        elements(type, bench).data(),
                        static_cast<int64_t>(bench.size()));
}

static MetricValue value(const PairAccumulator &sums, const char *name) {
  return findMetric(name)->evaluate(sums);
}

// t = (1, 2, 3, 4), b = (1, 2, 5, 3): d = (0, 0, -2, 1).
static PairAccumulator handPair() {
  return pair("f32", {1, 2, 3, 4}, {1, 2, 5, 3});
}

TEST(Metrics, ErrorsByHand) {
  PairAccumulator sums = handPair();
  EXPECT_EQ(value(sums, "MaxAbsError").value, 2);
  EXPECT_EQ(value(sums, "MaxAbsError").index, 2);
  EXPECT_EQ(value(sums, "MinAbsError").value, 0);
  EXPECT_EQ(value(sums, "MeanAbsError").value, 0.75);
  EXPECT_DOUBLE_EQ(value(sums, "Rmse").value, std::sqrt(5.0 / 4));
  EXPECT_DOUBLE_EQ(value(sums, "MaxRelError").value, 0.4);
  EXPECT_EQ(value(sums, "MaxRelError").index, 2);
  EXPECT_DOUBLE_EQ(value(sums, "RelL2").value, std::sqrt(5.0 / 39));
  EXPECT_DOUBLE_EQ(value(sums, "Cosine").value, 32 / std::sqrt(30.0 * 39.0));
  EXPECT_NEAR(value(sums, "CosineDistance").value,
              1 - 32 / std::sqrt(30.0 * 39.0), 1e-15);
  EXPECT_DOUBLE_EQ(value(sums, "Snr").value, 10 * std::log10(39.0 / 5));
  EXPECT_DOUBLE_EQ(value(sums, "ScaleDifference").value, 5.0 / 69);
}

TEST(Metrics, CountsByHand) {
  PairAccumulator sums = handPair();
  EXPECT_EQ(value(sums, "Mismatches").value, 2);
  EXPECT_EQ(value(sums, "IsClose").value, 50);
  EXPECT_EQ(value(sums, "GtNum").value, 2);
  EXPECT_EQ(value(sums, "ErrorBalance").value, 0);
  EXPECT_EQ(value(sums, "Argmax").value, 0);
  EXPECT_EQ(value(sums, "Argmax").text, "3!=2");
  EXPECT_EQ(value(sums, "Decades").text, "2 2 2 2 2 2 2 2 2 2");
  EXPECT_EQ(value(pair("f64", {1.05, 2, 3}, {1, 2, 3.0000002}), "Decades").text,
            "0 1 1 1 1 1 2 2 2 2");
  // 3 to 5 in f32: 2^22 steps to 4, 2^21 from 4 to 5; 4 to 3: 2^22.
  EXPECT_EQ(value(sums, "UlpMax").value, 3 * 0x1p21);
  EXPECT_EQ(value(sums, "UlpP50").value, 0);
  EXPECT_EQ(value(sums, "UlpP99").value, 3 * 0x1p21);
}

TEST(Metrics, ZeroNormsAreUndefinedNotPerfect) {
  PairAccumulator sums = pair("f32", {0, 1e-3}, {0, 0});
  for (const char *name :
       {"RelL2", "Cosine", "CosineDistance", "Snr", "MaxRelError"})
    EXPECT_FALSE(value(sums, name).defined) << name;
  EXPECT_EQ(formatMetric(*findMetric("RelL2"), value(sums, "RelL2")),
            "undefined");
  EXPECT_EQ(value(sums, "ScaleDifference").value, 1);
  PairAccumulator equal = pair("f32", {1, 2}, {1, 2});
  EXPECT_EQ(value(equal, "Snr").value, kInf);
  EXPECT_FALSE(value(equal, "ErrorBalance").defined);
}

TEST(Metrics, NonFiniteElementsAreCountedAndTheRestIsStillCompared) {
  PairAccumulator sums = pair("f16", {kNan, kInf, 1, 65504, 2, -kInf, 3},
                              {kNan, kInf, kNan, kInf, 2.5, kInf, 3});
  MetricValue nonFinite = value(sums, "NonFinite");
  EXPECT_EQ(nonFinite.value, 3);
  EXPECT_EQ(nonFinite.index, 2);
  EXPECT_EQ(nonFinite.text, "t 1/1/1 b 2/3/0 differ 3 saturated 1");
  EXPECT_EQ(value(sums, "MaxAbsError").value, 0.5);
  EXPECT_EQ(value(sums, "MaxAbsError").index, 4);
  EXPECT_EQ(value(sums, "Mismatches").value, 4);
  EXPECT_EQ(value(sums, "GtNum").value, 4);
  EXPECT_EQ(value(sums, "Decades").text, "4 4 4 4 4 4 4 4 4 4");
  EXPECT_DOUBLE_EQ(value(sums, "IsClose").value, 300.0 / 7);
  EXPECT_EQ(formatMetric(*findMetric("UlpMax"), value(sums, "UlpMax")), "inf");
  EXPECT_EQ(sums.finitePairs, 2);
}

TEST(Metrics, MeansAndSharesAreOfThePairsThatAreFinite) {
  // Three finite pairs: d = (1, 2, -3); a NaN on one side is a mismatch, but
  // neither above nor below.
  PairAccumulator sums = pair("f32", {2, 4, 1, kNan, 5}, {1, 2, 4, 1, kInf});
  EXPECT_DOUBLE_EQ(value(sums, "Rmse").value, std::sqrt(14.0 / 3));
  EXPECT_DOUBLE_EQ(value(sums, "ErrorBalance").value, 1.0 / 3);
  EXPECT_EQ(value(sums, "MinAbsError").value, 1);
  EXPECT_EQ(sums.mismatches, 5);
}

TEST(Metrics, ArgmaxIsTheFirstOfTheLargest) {
  std::vector<double> t(1500), b(1500);
  t[0] = t[700] = b[0] = b[1400] = 3;
  EXPECT_EQ(value(pair("f32", t, b), "Argmax").value, 1);
  EXPECT_EQ(value(pair("f32", t, b), "Argmax").index, 0);
  t[0] = 1;
  MetricValue moved = value(pair("f32", t, b), "Argmax");
  EXPECT_EQ(moved.value, 0);
  EXPECT_EQ(moved.text, "700!=0");
}

TEST(PairPass, TheFirstDisagreementIsThatOfTheFirstChunk) {
  // Two chunks of 2^18 elements each.
  std::vector<float> t(600000, 1.0f), b = t;
  t[300001] = std::nanf("");
  t[1000] = std::nanf("");
  t[590000] = INFINITY;
  assay::ThreadPool pool(2);
  for (assay::ThreadPool *threads : {(assay::ThreadPool *)nullptr, &pool}) {
    PairAccumulator sums = accumulatePair(typeNamed("f32"), t.data(), b.data(),
                                          600000, {}, threads);
    EXPECT_EQ(sums.nonFinite.firstDisagree, 1000);
    EXPECT_EQ(sums.nonFinite.disagree, 3);
    EXPECT_EQ(sums.nonFinite.targetNan, 2);
    EXPECT_EQ(sums.nonFinite.targetPlusInf, 1);
    EXPECT_EQ(sums.mismatches, 3);
  }
}

TEST(Metrics, LargeIntegersAreComparedAsIntegers) {
  int64_t t[2] = {(int64_t{1} << 60) + 1, 7}, b[2] = {int64_t{1} << 60, 7};
  PairAccumulator sums = accumulatePair(typeNamed("i64"), t, b, 2);
  EXPECT_EQ(value(sums, "MaxAbsError").value, 1);
  EXPECT_EQ(value(sums, "UlpMax").value, 1);
  EXPECT_EQ(value(sums, "Mismatches").value, 1);
}

TEST(Metrics, ComplexErrorsAreModuli) {
  std::complex<float> t[2] = {{3, 4}, {1, 1}}, b[2] = {{0, 0}, {1, 1}};
  PairAccumulator sums = accumulatePair(typeNamed("complex<f32>"), t, b, 2);
  EXPECT_EQ(value(sums, "MaxAbsError").value, 5);
  EXPECT_DOUBLE_EQ(value(sums, "Rmse").value, 5 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(value(sums, "Cosine").value,
                   2 / (std::sqrt(27.0) * std::sqrt(2.0)));
}

TEST(Metrics, CosineDistanceKeepsItsDigits) {
  // b = e1, t = e1 + 1e-7 e2: 1 - cos = 5e-15 (1 - 0.75e-14).
  EXPECT_NEAR(value(pair("f64", {1, 1e-7}, {1, 0}), "CosineDistance").value,
              5e-15, 1e-27);
}

/// The expected result of the pass, computed element by element.
template <typename T>
static void checkAgainstPlainLoop(int64_t n, int seed, int threads) {
  std::mt19937 random(seed);
  std::vector<T> t(n), b(n);
  for (int64_t i = 0; i < n; ++i) {
    double x = (static_cast<int>(random() % 2001) - 1000) / 100.0;
    b[i] = convertElement<T>(x);
    t[i] = random() % 3 ? b[i]
                        : convertElement<T>(x * (1 + (random() % 7) * 0.01));
    if (random() % 97 == 0)
      t[i] = convertElement<T>(random() % 2 ? kNan : -kInf);
    if (random() % 89 == 0)
      b[i] = convertElement<T>(random() % 2 ? kNan : -kInf);
  }
  assay::ThreadPool pool(threads);
  PairAccumulator got =
      accumulatePair(elementTypeOf<T>(), t.data(), b.data(), n, {}, &pool);
  double maxAbs = -1, sumSquares = 0, maxRel = -1;
  int64_t maxAt = -1, mismatches = 0, close = 0, greater = 0, disagree = 0,
          decade3 = 0;
  uint64_t ulpMax = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t distance = ulpDistance(t[i], b[i]);
    ulpMax = std::max(ulpMax, distance);
    double x = convertElement<double>(t[i]), y = convertElement<double>(b[i]),
           d = std::fabs(x - y);
    if (x - x != 0 || y - y != 0) {
      disagree += distance != 0;
      mismatches += distance != 0, greater += distance != 0,
          decade3 += distance != 0, close += distance == 0;
      continue;
    }
    if (d > maxAbs)
      maxAbs = d, maxAt = i;
    if (y != 0)
      maxRel = std::max(maxRel, d / std::fabs(y));
    sumSquares += d * d;
    mismatches += d != 0;
    close += d <= 1e-5 + 1e-3 * std::fabs(y);
    greater += d > 1e-5;
    decade3 += d > 1e-3;
  }
  std::string where = toString(elementTypeOf<T>()) + " n " + std::to_string(n);
  EXPECT_EQ(got.count, n) << where;
  EXPECT_EQ(got.maxAbs.index, maxAt) << where;
  EXPECT_EQ(got.ulpMax, ulpMax) << where;
  EXPECT_EQ(got.mismatches, mismatches) << where;
  EXPECT_EQ(got.close, close) << where;
  EXPECT_EQ(got.greater, greater) << where;
  EXPECT_EQ(got.decades[2], decade3) << where;
  EXPECT_EQ(got.nonFinite.disagree, disagree) << where;
  EXPECT_EQ(got.maxRel.error, maxRel) << where;
  EXPECT_NEAR(got.squaredError.value(), sumSquares, 1e-9 * sumSquares) << where;
  int64_t inHistogram = 0;
  for (int64_t bucket : got.ulpHistogram)
    inHistogram += bucket;
  EXPECT_EQ(inHistogram, n) << where;
}

TEST(PairPass, AgreesWithAPlainLoopForEveryTypeAndLength) {
  for (int64_t n : {0, 1, 7, 8, 511, 512, 513, 5000})
    for (const char *name :
         {"i1", "i4", "ui8", "i32", "ui64", "f4E2M1FN", "f8E4M3FN", "f8E5M2",
          "f8E8M0FNU", "bf16", "f16", "f32", "f64"})
      dispatch<OrderedTypes>(typeNamed(name), [&](auto tag) {
        checkAgainstPlainLoop<typename decltype(tag)::Type>(n, 17, 1);
      });
}

TEST(PairPass, BitsDoNotDependOnThreads) {
  int64_t n = 700001;
  std::vector<float> t(n), b(n);
  std::mt19937 random(5);
  for (int64_t i = 0; i < n; ++i)
    b[i] = static_cast<float>(random()),
    t[i] = b[i] * (1 + 1e-6f * (random() % 5));
  assay::ThreadPool one(1), four(4);
  PairAccumulator x =
      accumulatePair(typeNamed("f32"), t.data(), b.data(), n, {}, &one);
  PairAccumulator y =
      accumulatePair(typeNamed("f32"), t.data(), b.data(), n, {}, &four);
  EXPECT_EQ(x.squaredError.value(), y.squaredError.value());
  EXPECT_EQ(x.products.value(), y.products.value());
  EXPECT_EQ(x.maxAbs.index, y.maxAbs.index);
  EXPECT_EQ(x.maxRel.index, y.maxRel.index);
  EXPECT_EQ(x.ulpHistogram, y.ulpHistogram);
}

/// Pairs of f16 as they occur in comparisons: equal, one bit apart, several
/// bits apart, at the limit of IsClose, subnormal, large, infinite and NaN.
static void fillHalves(int kind, std::mt19937 &random, std::vector<F16> &t,
                       std::vector<F16> &b) {
  std::normal_distribution<float> normal(0, kind == 4 ? 1e-6f : 1);
  for (size_t i = 0; i < t.size(); ++i) {
    float value = normal(random) * (kind == 5 ? 20000 : 1);
    b[i] = convertElement<F16>(value);
    uint16_t code = std::bit_cast<uint16_t>(b[i]);
    if (kind == 1 || kind >= 4)
      code = static_cast<uint16_t>(code ^ (random() % 7 == 0));
    if (kind == 2)
      code = static_cast<uint16_t>(code + random() % 9);
    t[i] = std::bit_cast<F16>(code);
    if (kind == 3) // |t - b| is close to 1e-3 * |b| + 1e-5
      t[i] = convertElement<F16>(value + 1e-3f * std::fabs(value) + 1e-5f);
    if (kind == 6 && random() % 3000 == 0)
      t[i] = std::bit_cast<F16>(static_cast<uint16_t>(0x7c00 + random() % 2));
    if (kind == 7 && random() % 900 == 0)
      t[i] = convertElement<F16>(value + 3);
  }
}

TEST(PairPass, TheShortWayForHalvesHasTheBitsOfTheGeneralOne) {
  std::mt19937 random(11);
  for (int kind = 0; kind < 8; ++kind)
    for (int64_t n : {32, 512, 5000, 5017, 200000}) {
      // The arrays have further elements after the last one, which must not
      // count.
      std::vector<F16> t(static_cast<size_t>(n + 64)), b(t.size());
      fillHalves(kind, random, t, b);
      PairOptions full{.slope = 0.02}, part = full;
      part.full = false;
      PairAccumulator x =
          accumulatePair(typeNamed("f16"), t.data(), b.data(), n, full);
      PairAccumulator y =
          accumulatePair(typeNamed("f16"), t.data(), b.data(), n, part);
      std::string where = std::to_string(kind) + ", " + std::to_string(n);
      EXPECT_EQ(x.count, y.count) << where;
      EXPECT_EQ(x.finitePairs, y.finitePairs) << where;
      EXPECT_EQ(x.squaredError.value(), y.squaredError.value()) << where;
      EXPECT_EQ(x.targetSquares.value(), y.targetSquares.value()) << where;
      EXPECT_EQ(x.benchSquares.value(), y.benchSquares.value()) << where;
      EXPECT_EQ(x.products.value(), y.products.value()) << where;
      EXPECT_EQ(x.maxAbs.index, y.maxAbs.index) << where;
      EXPECT_EQ(x.maxAbs.error, y.maxAbs.error) << where;
      EXPECT_EQ(x.maxUlp.index, y.maxUlp.index) << where;
      EXPECT_EQ(x.minAbs, y.minAbs) << where;
      EXPECT_EQ(x.maxExcess, y.maxExcess) << where;
      EXPECT_EQ(x.ulpMax, y.ulpMax) << where;
      EXPECT_EQ(x.mismatches, y.mismatches) << where;
      EXPECT_EQ(x.close, y.close) << where;
      EXPECT_EQ(x.greater, y.greater) << where;
      EXPECT_EQ(x.targetLargest.index, y.targetLargest.index) << where;
      EXPECT_EQ(x.benchLargest.index, y.benchLargest.index) << where;
      EXPECT_EQ(x.nonFinite.disagree, y.nonFinite.disagree) << where;
      EXPECT_EQ(x.ulpHistogram, y.ulpHistogram) << where;
    }
}

TEST(Metrics, EveryRowIsDescribed) {
  for (const Metric &metric : allMetrics()) {
    EXPECT_EQ(findMetric(metric.key), &metric);
    EXPECT_EQ(findMetric(metric.column), &metric);
    for (const char *text :
         {metric.formula, metric.types, metric.nonFinite, metric.source})
      EXPECT_NE(std::strlen(text), 0u) << metric.name;
    PairAccumulator empty;
    empty.type = typeNamed("f32");
    EXPECT_NE(formatMetric(metric, metric.evaluate(empty)), "") << metric.name;
  }
}

TEST(UlpBuckets, AreExactForSmallDistancesAndNarrowForLargeOnes) {
  for (uint64_t d = 0; d < 16; ++d)
    EXPECT_EQ(ulpBucketFloor(ulpBucket(d)), static_cast<double>(d));
  for (uint64_t d :
       {uint64_t{100}, uint64_t{123456789}, uint64_t{1} << 62, kUlpMax}) {
    double floor = ulpBucketFloor(ulpBucket(d));
    EXPECT_LE(floor, static_cast<double>(d));
    EXPECT_GT(floor * 1.126, static_cast<double>(d));
  }
}

// A pair of a number and NaN is in the last bucket.
TEST(UlpBuckets, TheLastOneCounts) {
  PairAccumulator sums = pair("f32", {kNan, 1}, {1, kNan});
  EXPECT_EQ(ulpBucket(~uint64_t{0}), kUlpBuckets - 1);
  EXPECT_EQ(sums.ulpHistogram[kUlpBuckets - 1], 2);
  EXPECT_EQ(ulpQuantile(sums, 0.5), ulpBucketFloor(kUlpBuckets - 1));
  EXPECT_EQ(ulpQuantile(sums, 1), ulpBucketFloor(kUlpBuckets - 1));
}

TEST(PairPass, ElementsInTheLastBucketDiffer) {
  EXPECT_EQ(pair("f32", {kNan, 1}, {1, 1}).mismatches, 1);
  EXPECT_EQ(pair("f64", {kNan, kInf, 3}, {1, 2, 3}).mismatches, 2);
}

// The quotient 3 / (sqrt(3) * sqrt(3)) is 1.0000000000000002 in doubles.
TEST(Metrics, ACosineIsAtMostOne) {
  EXPECT_EQ(value(pair("f32", {1, 1, 1}, {1, 1, 1}), "Cosine").value, 1);
  EXPECT_EQ(value(pair("f32", {1, 1, 1}, {-1, -1, -1}), "Cosine").value, -1);
}

TEST(Metrics, QuantilesOfNonFinitePairsAreTheLastBucket) {
  PairAccumulator sums = pair("bf16", {kNan, kNan, 1}, {1, 2, 1});
  EXPECT_EQ(value(sums, "UlpP50").value, ulpBucketFloor(kUlpBuckets - 1));
  EXPECT_EQ(value(sums, "UlpP99").value, ulpBucketFloor(kUlpBuckets - 1));
}
