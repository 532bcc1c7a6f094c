// Statistics of one tensor, compared with values by hand and with a plain loop,
// also for data on which the naive variance fails.
#include "assay/numerics/Statistics.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Text.h"
#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

#include <random>

using namespace assay::numerics;

template <typename T>
static TensorStatistics statistics(const std::vector<T> &data,
                                   assay::ThreadPool *pool = nullptr) {
  return statisticsOf(elementTypeOf<T>(), data.data(),
                      static_cast<int64_t>(data.size()), pool);
}

TEST(Statistics, ByHand) {
  float inf = std::numeric_limits<float>::infinity(),
        nan = std::numeric_limits<float>::quiet_NaN();
  TensorStatistics s =
      statistics<float>({2, -1, nan, 0, -0.0f, inf, -inf, 3, 1e-40f, nan});
  EXPECT_EQ(s.count(), 10);
  EXPECT_EQ(s.finite(), 6);
  EXPECT_EQ(s.nan(), 2);
  EXPECT_EQ(s.plusInf(), 1);
  EXPECT_EQ(s.minusInf(), 1);
  EXPECT_EQ(s.zeros(), 2);
  EXPECT_EQ(s.subnormals(), 1);
  EXPECT_EQ(s.smallest().value, -1);
  EXPECT_EQ(s.smallest().index, 1);
  EXPECT_EQ(s.largest().index, 7);
  EXPECT_DOUBLE_EQ(s.mean(), 4.0 / 6);
  EXPECT_DOUBLE_EQ(s.norm(), std::sqrt(14.0));
  EXPECT_DOUBLE_EQ(s.standardDeviation(), std::sqrt(14.0 / 6 - 16.0 / 36));
  EXPECT_EQ(s.quantile(0.5), 0);
}

TEST(Statistics, SpreadSurvivesALargeMean) {
  std::vector<double> data;
  for (int i = 0; i < 100000; ++i)
    data.push_back(1e9 + i % 2);
  TensorStatistics s = statistics(data);
  EXPECT_NEAR(s.standardDeviation(), 0.5, 1e-9);
  EXPECT_NEAR(s.mean(), 1e9 + 0.5, 1e-6);
}

TEST(Statistics, LargeIntegersKeepTheirExtremes) {
  TensorStatistics s = statistics<int64_t>(
      {(int64_t{1} << 60) + 1, (int64_t{1} << 60) + 2, int64_t{1} << 60});
  EXPECT_EQ(printElement(s.type(), s.largest().element.data()),
            "1152921504606846978");
  EXPECT_EQ(printElement(s.type(), s.smallest().element.data()),
            "1152921504606846976");
}

TEST(Statistics, TheSpreadBetweenPartsCounts) {
  // Chunks of 2^20 whose means are 0, 1000 and 2000; the elements within a
  // chunk are equal.
  constexpr int64_t kPart = 1 << 20;
  std::vector<float> data(3 * kPart);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = 1000 * static_cast<float>(i / kPart);
  TensorStatistics s = statistics(data);
  EXPECT_DOUBLE_EQ(s.mean(), 1000);
  EXPECT_NEAR(s.standardDeviation(), std::sqrt(2.0 / 3) * 1000, 1e-6);
}

TEST(Statistics, ExtremesOfUnsignedIntegersAreTheFirstOfTheirKind) {
  // 2^64 - 1 and 2^64 - 2 round to the same double; blocks of 512, chunks of
  // 2^20.
  const uint64_t most = ~uint64_t{0};
  std::vector<uint64_t> data((1 << 20) + 2000, 5);
  data[3] = most - 1;
  data[700] = data[1500] = most;
  data[900] = data[(1 << 20) + 7] = 2;
  data.back() = most;
  TensorStatistics s = statistics(data);
  EXPECT_EQ(s.largest().index, 700);
  EXPECT_EQ(s.smallest().index, 900);
  std::vector<int64_t> negative(2000, -4);
  negative[1200] = negative[1900] = -9;
  EXPECT_EQ(statistics(negative).smallest().index, 1200);
  EXPECT_EQ(statistics(negative).largest().index, 0);
}

TEST(Statistics, ComplexCountsModuli) {
  TensorStatistics s = statistics<std::complex<float>>({{3, 4}, {0, 0}});
  EXPECT_EQ(s.largest().value, 5);
  EXPECT_EQ(s.mean(), 2.5);
  EXPECT_EQ(s.zeros(), 1);
}

TEST(Statistics, EmptyHasNoMean) {
  TensorStatistics s = statistics<float>({});
  EXPECT_TRUE(std::isnan(s.mean()) && std::isnan(s.standardDeviation()) &&
              std::isnan(s.norm()) && std::isnan(s.quantile(0.5)));
}

TEST(Statistics, QuantilesAreWithinTheSketch) {
  std::vector<float> data(50001);
  std::mt19937 random(1);
  for (float &x : data)
    x = static_cast<float>(static_cast<int>(random() % 200001) - 100000) / 7;
  TensorStatistics s = statistics(data);
  std::sort(data.begin(), data.end());
  for (double q : {0.01, 0.25, 0.5, 0.75, 0.99}) {
    double exact = data[static_cast<size_t>(std::ceil(q * 50001)) - 1];
    EXPECT_NEAR(s.quantile(q), exact, std::fabs(exact) / 128 + 1e-9) << q;
  }
  EXPECT_EQ(s.quantile(0), data.front());
  EXPECT_EQ(s.quantile(1), data.back());
}

TEST(Statistics, SixteenBitQuantilesAreExact) {
  std::mt19937 random(3);
  std::vector<int16_t> data(50001);
  for (int16_t &x : data)
    x = static_cast<int16_t>(random());
  TensorStatistics s = statisticsOf(ElementType::integer(16), data.data(),
                                    static_cast<int64_t>(data.size()));
  std::sort(data.begin(), data.end());
  for (double q : {0.01, 0.25, 0.5, 0.75, 0.99})
    EXPECT_EQ(s.quantile(q),
              data[static_cast<size_t>(std::ceil(q * 50001)) - 1])
        << q;
}

TEST(Statistics, QuantilesOfPartsAreThoseOfTheWhole) {
  // Small parts keep lists of bins, large ones histograms.
  std::vector<float> data(20000);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>((i * 7919) % 10007) - 5000;
  TensorStatistics whole = statistics(data);
  for (size_t first : {1u, 100u, 4096u, 4097u, 9000u, 19990u}) {
    TensorStatistics parts =
        statistics<float>({data.begin(), data.begin() + first});
    TensorStatistics rest(parts.type());
    rest.accumulate(data.data() + first,
                    static_cast<int64_t>(data.size() - first),
                    static_cast<int64_t>(first));
    parts.merge(rest);
    for (double q : {0.0, 0.001, 0.25, 0.5, 0.9, 1.0})
      EXPECT_EQ(parts.quantile(q), whole.quantile(q)) << first << " " << q;
  }
}

TEST(Statistics, QuantilesOfAFewElements) {
  std::vector<float> data;
  for (int i = 100; i > 0; --i)
    data.push_back(static_cast<float>(i));
  TensorStatistics s = statistics(data);
  EXPECT_EQ(s.quantile(0.01), 1);
  EXPECT_EQ(s.quantile(0.5), 50);
  EXPECT_EQ(s.quantile(0.501), 51);
  EXPECT_EQ(s.quantile(0.99), 99);
}

TEST(Statistics, BitsDoNotDependOnThreads) {
  std::vector<float> data(3000001);
  std::mt19937 random(2);
  for (float &x : data)
    x = static_cast<float>(random()) * 1e-9f;
  assay::ThreadPool one(1), four(4);
  TensorStatistics a = statistics(data, &one), b = statistics(data, &four);
  EXPECT_EQ(a.mean(), b.mean());
  EXPECT_EQ(a.standardDeviation(), b.standardDeviation());
  EXPECT_EQ(a.norm(), b.norm());
  EXPECT_EQ(a.largest().index, b.largest().index);
  EXPECT_EQ(a.quantile(0.9), b.quantile(0.9));
}

// One element after the last whole block, and after the last whole wave.
TEST(Statistics, TheElementBehindTheLastBlockCounts) {
  std::vector<float> data(513, 1);
  data.back() = -7;
  TensorStatistics s = statistics(data);
  EXPECT_EQ(s.count(), 513);
  EXPECT_EQ(s.smallest().value, -7);
  EXPECT_EQ(s.smallest().index, 512);
}

TEST(Statistics, TheElementBehindTheLastWaveCounts) {
  std::vector<int8_t> data((size_t{32} << 20) + 1, 1);
  data.back() = 5;
  assay::ThreadPool pool(2);
  TensorStatistics s = statistics(data, &pool);
  EXPECT_EQ(s.count(), static_cast<int64_t>(data.size()));
  EXPECT_EQ(s.largest().value, 5);
  EXPECT_EQ(s.largest().index, static_cast<int64_t>(data.size()) - 1);
}

TEST(Statistics, TheSumsIncludeTheElementBehindTheLastBlock) {
  std::vector<double> data(1025, 0.0);
  data.back() = 3;
  EXPECT_DOUBLE_EQ(statistics(data).norm(), 3);
  EXPECT_DOUBLE_EQ(statistics(data).mean(), 3.0 / 1025);
}

TEST(Statistics, ALastWaveOfOneElementIsCountedOnce) {
  std::vector<uint8_t> data((size_t{32} << 20) + 1, 9);
  data.back() = 0;
  TensorStatistics s = statistics(data);
  EXPECT_EQ(s.zeros(), 1);
  EXPECT_EQ(s.smallest().index, static_cast<int64_t>(data.size()) - 1);
}

TEST(Statistics, SubnormalIsWhatTheTypeCallsSo) {
  // The smallest normal numbers are 2^-14 and 2^-126.
  const uint16_t halves[4] = {0x03ff, 0x0400, 0x8001, 0};
  TensorStatistics s = statisticsOf(ElementType::floating(FloatFormat::F16),
                                    halves, 4, nullptr);
  EXPECT_EQ(s.subnormals(), 2);
  EXPECT_EQ(s.zeros(), 1);
  const uint16_t bf16[4] = {0x007f, 0x0080, 0x8001, 0x3f80};
  EXPECT_EQ(statisticsOf(ElementType::floating(FloatFormat::BF16), bf16, 4,
                         nullptr)
                .subnormals(),
            2);
}
