// Two merged halves must equal one pass over the whole, in every field. Large
// tensors are cut into parts for the threads, so a field that merge() forgets
// would be wrong for large tensors only.
#include "assay/numerics/Convert.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Statistics.h"
#include "gtest/gtest.h"

#include <random>

using namespace assay::numerics;

static constexpr float kInf = std::numeric_limits<float>::infinity();
static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static const ElementType kF32 = ElementType::floating(FloatFormat::F32);

/// Errors of every size, equal extremes in both halves, and every kind of pair
/// with non-finite members.
static void fillPair(std::vector<float> &t, std::vector<float> &b) {
  std::mt19937 random(23);
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<float>(static_cast<int>(random() % 1000) - 500) / 8;
    int decade = static_cast<int>(random() % 12);
    t[i] = b[i] + (decade == 11 ? 0.0f : std::pow(10.0f, -decade)) *
                      (random() % 4 ? 1.0f : -1.0f);
  }
  const float kinds[4] = {kNan, kInf, -kInf, 1};
  for (size_t k = 0; k < 16; ++k)
    for (size_t at : {20 + 3 * k, b.size() / 2 + 10 + 5 * k}) {
      t[at] = kinds[k / 4];
      b[at] = kinds[k % 4];
    }
  float most = std::numeric_limits<float>::max();
  t[5] = b[7] = most;
  b[5] = t[7] = kInf; // saturated on one side
  t[b.size() - 9] = most;
  b[b.size() - 9] = kInf;
  for (size_t at : {size_t{300}, b.size() - 300})
    t[at] = b[at] = 1000; // the largest value, twice
}

static void expectEqual(const PairAccumulator &a, const PairAccumulator &b,
                        size_t cut) {
  EXPECT_EQ(a.count, b.count) << cut;
  EXPECT_EQ(a.finitePairs, b.finitePairs) << cut;
  auto near = [&](const CompensatedSum &x, const CompensatedSum &y) {
    EXPECT_NEAR(x.value(), y.value(), 1e-12 * std::fabs(y.value())) << cut;
  };
  near(a.absError, b.absError);
  near(a.squaredError, b.squaredError);
  near(a.targetSquares, b.targetSquares);
  near(a.benchSquares, b.benchSquares);
  near(a.products, b.products);
  for (auto [x, y] :
       {std::pair(&a.maxAbs, &b.maxAbs), std::pair(&a.maxRel, &b.maxRel),
        std::pair(&a.maxUlp, &b.maxUlp)}) {
    EXPECT_EQ(x->index, y->index) << cut;
    EXPECT_EQ(x->error, y->error) << cut;
    EXPECT_EQ(x->target, y->target) << cut;
    EXPECT_EQ(x->bench, y->bench) << cut;
  }
  EXPECT_EQ(a.minAbs, b.minAbs) << cut;
  EXPECT_EQ(a.maxExcess, b.maxExcess) << cut;
  EXPECT_EQ(a.ulpMax, b.ulpMax) << cut;
  EXPECT_EQ(a.mismatches, b.mismatches) << cut;
  EXPECT_EQ(a.above, b.above) << cut;
  EXPECT_EQ(a.close, b.close) << cut;
  EXPECT_EQ(a.greater, b.greater) << cut;
  EXPECT_EQ(a.decades, b.decades) << cut;
  EXPECT_EQ(a.ulpHistogram, b.ulpHistogram) << cut;
  EXPECT_EQ(a.targetLargest.index, b.targetLargest.index) << cut;
  EXPECT_EQ(a.benchLargest.index, b.benchLargest.index) << cut;
  EXPECT_EQ(a.benchLargest.value, b.benchLargest.value) << cut;
}

static void expectEqual(const NonFiniteCounts &a, const NonFiniteCounts &b,
                        size_t cut) {
  EXPECT_EQ(a.targetNan, b.targetNan) << cut;
  EXPECT_EQ(a.targetPlusInf, b.targetPlusInf) << cut;
  EXPECT_EQ(a.targetMinusInf, b.targetMinusInf) << cut;
  EXPECT_EQ(a.benchNan, b.benchNan) << cut;
  EXPECT_EQ(a.benchPlusInf, b.benchPlusInf) << cut;
  EXPECT_EQ(a.benchMinusInf, b.benchMinusInf) << cut;
  EXPECT_EQ(a.agree, b.agree) << cut;
  EXPECT_EQ(a.disagree, b.disagree) << cut;
  EXPECT_EQ(a.saturated, b.saturated) << cut;
  EXPECT_EQ(a.firstDisagree, b.firstDisagree) << cut;
}

TEST(Merge, PairsOfPartsAreThoseOfTheWhole) {
  std::vector<float> t(5000), b(5000);
  fillPair(t, b);
  PairOptions options;
  options.slope = 1e-3;
  auto part = [&](size_t first, size_t end) {
    PairAccumulator sums;
    sums.type = kF32;
    sums.options = options;
    sums.accumulate(t.data() + first, b.data() + first,
                    static_cast<int64_t>(end - first),
                    static_cast<int64_t>(first));
    return sums;
  };
  PairAccumulator whole = part(0, t.size());
  EXPECT_EQ(whole.nonFinite.agree, 6); // three kinds, twice
  EXPECT_EQ(whole.nonFinite.saturated, 3);
  for (size_t cut : {1u, 15u, 512u, 2500u, 4096u, 4999u}) {
    PairAccumulator merged = part(0, cut);
    merged.merge(part(cut, t.size()));
    expectEqual(merged, whole, cut);
    expectEqual(merged.nonFinite, whole.nonFinite, cut);
  }
}

static TensorStatistics statisticsFrom(const std::vector<float> &data,
                                       size_t first, size_t end) {
  TensorStatistics result(kF32);
  result.accumulate(data.data() + first, static_cast<int64_t>(end - first),
                    static_cast<int64_t>(first));
  return result;
}

TEST(Merge, StatisticsOfPartsAreThoseOfTheWhole) {
  std::vector<float> data(6000);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = i % 11 == 0   ? 0.0f
              : i % 13 == 0 ? 1e-40f
              : i % 17 == 0 ? (i % 2 ? kNan : i % 4 ? kInf : -kInf)
                            : static_cast<float>(i % 701) - 300;
  data[0] = data[5990] = -1e4f; // equal extremes: the first one must be kept
  data[1] = data[5991] = 1e4f;
  TensorStatistics whole = statisticsFrom(data, 0, data.size());
  for (size_t cut : {1u, 2u, 700u, 3000u, 5999u}) {
    TensorStatistics merged = statisticsFrom(data, 0, cut);
    merged.merge(statisticsFrom(data, cut, data.size()));
    EXPECT_EQ(merged.count(), whole.count()) << cut;
    EXPECT_EQ(merged.finite(), whole.finite()) << cut;
    EXPECT_EQ(merged.nan(), whole.nan()) << cut;
    EXPECT_EQ(merged.plusInf(), whole.plusInf()) << cut;
    EXPECT_EQ(merged.minusInf(), whole.minusInf()) << cut;
    EXPECT_EQ(merged.zeros(), whole.zeros()) << cut;
    EXPECT_EQ(merged.subnormals(), whole.subnormals()) << cut;
    EXPECT_EQ(merged.smallest().index, whole.smallest().index) << cut;
    EXPECT_EQ(merged.largest().index, whole.largest().index) << cut;
    EXPECT_NEAR(merged.mean(), whole.mean(), 1e-10) << cut;
    EXPECT_NEAR(merged.norm(), whole.norm(), 1e-9 * whole.norm()) << cut;
    EXPECT_NEAR(merged.standardDeviation(), whole.standardDeviation(), 1e-9)
        << cut;
  }
}

TEST(Merge, APartWithoutFiniteElementsMovesNoMean) {
  std::vector<float> data(1100, kNan);
  for (size_t i = 600; i < data.size(); ++i)
    data[i] = 8;
  TensorStatistics merged = statisticsFrom(data, 0, 600);
  merged.merge(statisticsFrom(data, 600, data.size()));
  EXPECT_EQ(merged.mean(), 8);
  EXPECT_EQ(merged.standardDeviation(), 0);
  EXPECT_EQ(merged.smallest().index, 600);
  TensorStatistics other = statisticsFrom(data, 600, data.size());
  other.merge(statisticsFrom(data, 0, 600));
  EXPECT_EQ(other.mean(), 8);
  EXPECT_EQ(other.nan(), 600);
}
