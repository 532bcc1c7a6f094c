// The judge and the epilogue against arithmetic done another way: integers in
// int64_t, sums in binary128, intervals by stepping through the representable
// neighbours.
#include "assay/judge/Accuracy.h"
#include "assay/judge/contraction/ContractionJudge.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Ulp.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <utility>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

TEST(Judge, TheoremIsGammaAndStatisticalGrowsWithTheRoot) {
  // gamma(d) = d u / (1 - d u), here in binary128
  for (double d : {1.0, 64.0, 4096.0, 1048576.0}) {
    auto product = static_cast<__float128>(d) * 0x1p-24;
    EXPECT_NEAR(theoremBound(d, 0x1p-24),
                static_cast<double>(product / (1 - product)), 1e-18);
  }
  EXPECT_EQ(theoremBound(0x1p24, 0x1p-24),
            1.0); // the theorem no longer has a bound
  EXPECT_DOUBLE_EQ(likelyBound(4096, 0x1p-24, FillKind::Heavy),
                   6 * 64 * 0x1p-24);
  EXPECT_DOUBLE_EQ(likelyBound(4096, 0x1p-24, FillKind::Normal), 64 * 0x1p-24);
  EXPECT_LE(likelyBound(4, 0x1p-24, FillKind::Normal),
            theoremBound(4, 0x1p-24)); // never above the theorem's bound
}

TEST(Judge, AdmissibleResultsAreTheRoundedOnesOfTheInterval) {
  for (ElementType type : {types::F32, types::BF16, types::F16, types::S8,
                           types::U8, types::S32}) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> value(-300, 300), part(0, 2);
    for (int i = 0; i < 2000; ++i) {
      double x = value(random), e = part(random);
      Interval interval = admissible(type, x, e);
      // Every sampled real in [x - e, x + e] rounds into the interval, its ends
      // are hit.
      for (int s = 0; s <= 8; ++s) {
        double y = roundTo(type, x - e + 2 * e * s / 8);
        EXPECT_GE(y, interval.low);
        EXPECT_LE(y, interval.high);
      }
      EXPECT_EQ(interval.low, roundTo(type, x - e));
      EXPECT_EQ(interval.high, roundTo(type, x + e));
    }
  }
  EXPECT_EQ(admissible(types::S8, 1000, 3).low, 127); // saturation
  EXPECT_EQ(admissible(types::U8, -5, 3).high, 0);
  EXPECT_EQ(admissible(types::S32, 2.5, 0).low, 2); // ties to even
  EXPECT_EQ(admissible(types::S32, 3.5, 0).high, 4);
  // A kernel that saturates in f32 returns the largest f32 below 2^31.
  EXPECT_EQ(admissible(types::S32, 1e10, 0).low, 2147483520);
  EXPECT_EQ(admissible(types::S32, 1e10, 0).high, 2147483647);
  EXPECT_EQ(admissible(types::S32, 2147483000, 0).low, 2147483000);
  EXPECT_EQ(admissible(types::S32, -1e10, 0).high, -2147483648.0);
}

namespace {
/// A product with its own data, its exact sums and the judge's verdict on
/// any output.
struct Bench {
  Problem problem;
  Lowered c;
  ThreadPool pool;
  FillPlan plan;
  std::vector<float> a, b;
  Accumulators sums;
  std::vector<double> absolute;

  Bench(llvm::StringRef words, FillKind kind, int threads = 1)
      : problem(problemOf(words)), c(llvm::cantFail(lower(problem))),
        pool(threads), plan(planFill(c, kind, 5)) {
    plan.nanAt = -1;
    a.resize(c.slots[c.a].elements());
    b.resize(c.slots[c.b].elements());
    fillSlot(c, plan, c.a, a.data(), pool);
    fillSlot(c, plan, c.b, b.data(), pool);
    int64_t m = c.contraction.m, n = c.contraction.n, k = c.contraction.k;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        __float128 sum = 0, size = 0;
        for (int64_t x = 0; x < k; ++x) {
          sum += static_cast<__float128>(a[i * k + x]) * b[x * n + j];
          size += std::fabs(static_cast<double>(a[i * k + x]) * b[x * n + j]);
        }
        sums.wide.push_back(static_cast<double>(sum));
        absolute.push_back(static_cast<double>(size));
      }
    if (!makeBound(c, plan, 0).exact)
      sums.absolute.assign(absolute.begin(), absolute.end());
  }
  Verdict verdict(const std::vector<float> &out) {
    std::vector<const float *> pointers(c.slots.size(), nullptr);
    pointers[c.a] = a.data(), pointers[c.b] = b.data();
    Epilogue epilogue(c, pointers);
    std::vector<std::byte> stored(out.size() * 8);
    numerics::convertArray(types::F32, out.data(), c.slots[c.out].type,
                           stored.data(), static_cast<int64_t>(out.size()));
    return judgeContraction(c, plan, epilogue, sums, makeBound(c, plan, 0),
                            stored.data(), pool);
  }
  /// As a verification judges long sums of real data: sums in f32, bounds by
  /// norms.
  Verdict quickVerdict(const std::vector<float> &out) {
    std::vector<float> narrow = rounded();
    Accumulators quick;
    quick.narrow = narrow.data();
    quick.norms =
        std::make_unique<Norms>(c.contraction, a.data(), b.data(), pool);
    quick.a = a.data(), quick.b = b.data();
    std::vector<const float *> pointers(c.slots.size(), nullptr);
    pointers[c.a] = a.data(), pointers[c.b] = b.data();
    Epilogue epilogue(c, pointers);
    std::vector<std::byte> stored(out.size() * 8);
    numerics::convertArray(types::F32, out.data(), c.slots[c.out].type,
                           stored.data(), static_cast<int64_t>(out.size()));
    return judgeContraction(c, plan, epilogue, quick,
                            makeBound(c, plan, 0x1p-24), stored.data(), pool);
  }
  std::vector<float> rounded() const {
    return {sums.wide.begin(), sums.wide.end()};
  }
};
} // namespace

TEST(Judge, ExactDataDemandsEqualityAndSaysWhereItFails) {
  Bench bench("--matmul 6x40:40x9", FillKind::Exact);
  std::vector<float> out = bench.rounded();
  EXPECT_TRUE(bench.verdict(out).passed());
  out[4 * 9 + 7] = std::nextafterf(out[4 * 9 + 7], 1e30f);
  Verdict verdict = bench.verdict(out);
  ASSERT_EQ(verdict.failures, 1);
  EXPECT_EQ(verdict.failing, std::vector<int64_t>{4 * 9 + 7});
  EXPECT_EQ(verdict.worst[0].index, 4 * 9 + 7);
  EXPECT_EQ(verdict.worst[0].expected, bench.sums.wide[4 * 9 + 7]);
}

TEST(Judge, OneDroppedTermOfExactDataIsSeenInEveryElement) {
  Bench bench("--matmul 6x40:40x9", FillKind::Exact);
  std::vector<float> out = bench.rounded();
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 9; ++j)
      out[i * 9 + j] -= bench.a[i * 40 + 17] * bench.b[17 * 9 + j];
  EXPECT_EQ(bench.verdict(out).failures, 54);
}

TEST(Judge, RealDataPassesInAnyOrderOfF32SumsAndFailsBeyondTheBound) {
  Bench bench("--matmul 8x512:512x8", FillKind::Normal);
  for (bool backwards : {false, true}) {
    std::vector<float> out(64);
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t j = 0; j < 8; ++j) {
        float sum = 0;
        for (int64_t s = 0; s < 512; ++s) {
          int64_t x = backwards ? 511 - s : s;
          sum += bench.a[i * 512 + x] * bench.b[x * 8 + j];
        }
        out[i * 8 + j] = sum;
      }
    EXPECT_TRUE(bench.verdict(out).passed());
  }
  // Just inside and well outside of the stated bound.
  double bound = likelyBound(512, 0x1p-24, FillKind::Normal);
  std::vector<float> out = bench.rounded();
  out[9] =
      static_cast<float>(bench.sums.wide[9] + 0.9 * bound * bench.absolute[9]);
  EXPECT_TRUE(bench.verdict(out).passed());
  out[9] =
      static_cast<float>(bench.sums.wide[9] + 1.5 * bound * bench.absolute[9]);
  Verdict verdict = bench.verdict(out);
  ASSERT_EQ(verdict.failures, 1);
  EXPECT_EQ(verdict.worst[0].index, 9);
  EXPECT_FALSE(verdict.worst[0].beyondTheorem);
  out[9] = static_cast<float>(
      bench.sums.wide[9] + 3 * theoremBound(512, 0x1p-24) * bench.absolute[9]);
  EXPECT_TRUE(bench.verdict(out).worst[0].beyondTheorem);
  out[9] = NAN;
  EXPECT_EQ(bench.verdict(out).failures, 1);
}

TEST(Judge, TheQuickScreenPassesNoNaNAndNothingFarOff) {
  for (const char *words :
       {"--matmul 8x512:512x700", "--matmul --dt=bf16 8x512:512x700"}) {
    Bench bench(words, FillKind::Normal);
    std::vector<float> out = bench.rounded();
    EXPECT_TRUE(bench.quickVerdict(out).passed()) << words;
    // The first block of a row, its last, partial one, and the last row.
    for (size_t at : {size_t{0}, size_t{699}, size_t{7 * 700 + 600}})
      for (float wrong : {NAN, INFINITY, -INFINITY, 1e30f}) {
        float right = std::exchange(out[at], wrong);
        Verdict verdict = bench.quickVerdict(out);
        EXPECT_EQ(verdict.failures, 1) << words << " " << at << " " << wrong;
        ASSERT_EQ(verdict.worst.size(), 1u) << words << " " << wrong;
        EXPECT_EQ(verdict.worst[0].index, static_cast<int64_t>(at));
        out[at] = right;
      }
  }
}

TEST(Judge, NoNumberFailsWhereOneIsDueAndPassesWhereNoneIs) {
  for (const char *types : {"f32", "bf16", "f16", "f32:f32:f8_e4m3",
                            "f32:f32:f8_e5m2"})
    for (FillKind kind : {FillKind::Normal, FillKind::Exact})
      for (size_t at : {size_t{0}, size_t{9}, size_t{53}}) {
        Bench bench(std::string("--matmul --dt=") + types + " 6x4:4x9", kind);
        std::vector<float> out = bench.rounded();
        ASSERT_TRUE(bench.verdict(out).passed()) << types;
        float right = std::exchange(out[at], NAN);
        EXPECT_EQ(bench.verdict(out).failures, 1) << types << " " << at;
        bench.sums.wide[at] = NAN; // NaN because of the operands
        EXPECT_TRUE(bench.verdict(out).passed()) << types << " " << at;
        for (float number : {right, 0.0f, 100.0f}) {
          out[at] = number;
          EXPECT_EQ(bench.verdict(out).failures, 1) << types << " " << number;
        }
      }
}

TEST(Judge, EveryNaNOnOneSideIsAFailureOfItsOwn) {
  for (const char *types : {"f32", "bf16", "f32:f32:f8_e4m3"}) {
    Bench bench(std::string("--matmul --dt=") + types + " 3x4:4x1100",
                FillKind::Exact);
    std::vector<float> out = bench.rounded();
    for (size_t at : {0, 1099, 2200})
      out[at] = NAN;
    for (size_t at : {5, 1500})
      bench.sums.wide[at] = NAN;
    Verdict verdict = bench.verdict(out);
    EXPECT_EQ(verdict.failing, (std::vector<int64_t>{0, 5, 1099, 1500, 2200}))
        << types;
    EXPECT_EQ(verdict.failures, 5) << types;
  }
}

TEST(Judge, TheWorstPointsComeFirstAndEveryFailureCounts) {
  Bench bench("--matmul 40x40:40x900", FillKind::Exact);
  std::vector<float> out = bench.rounded();
  for (int i = 0; i < 30; ++i)
    out[static_cast<size_t>(i) * 1201] +=
        static_cast<float>(1 + i * 7 % 31) * 64;
  Verdict verdict = bench.verdict(out);
  EXPECT_EQ(verdict.failures, 30);
  ASSERT_EQ(verdict.worst.size(), kWorstPoints);
  out[899] = NAN;
  verdict = bench.verdict(out);
  EXPECT_EQ(verdict.failures, 31);
  EXPECT_EQ(verdict.worst[0].index, 899);
}

TEST(Judge, SuspectsOfTheScreenAreJudgedByTheirOwnSums) {
  Bench bench("--matmul 8x512:512x700", FillKind::Normal);
  double own = likelyBound(512, 0x1p-24, FillKind::Normal);
  for (size_t at : {size_t{9}, size_t{3 * 700 + 699}}) {
    std::vector<float> out = bench.rounded();
    auto off = [&](double bounds) {
      out[at] = static_cast<float>(bench.sums.wide[at] +
                                   bounds * own * bench.absolute[at]);
      return bench.quickVerdict(out).failures;
    };
    EXPECT_EQ(off(0.8), 0);
    EXPECT_EQ(off(8), 1);
  }
}

TEST(Judge, ResultsAreReadWhereTheirLayoutPutsThem) {
  for (size_t n :
       {size_t{9}, size_t{1100}}) { // in one block of the judge, and in three
    Bench bench("--matmul --dtag=ba 6x40:40x" + std::to_string(n),
                FillKind::Exact);
    std::vector<float> rows = bench.rounded(), columns(rows.size());
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < n; ++j)
        columns[j * 6 + i] = rows[i * n + j];
    EXPECT_TRUE(bench.verdict(columns).passed());
    columns[(n - 5) * 6 + 2] += 64;
    Verdict verdict = bench.verdict(columns);
    ASSERT_EQ(verdict.failures, 1);
    EXPECT_EQ(verdict.worst[0].index, static_cast<int64_t>(2 * n + n - 5));
  }
}

TEST(Judge, ElementsWithoutABoundAreCountedAsUndecided) {
  Bench bench("--matmul 6x40:40x9", FillKind::Normal);
  std::vector<float> out = bench.rounded();
  EXPECT_EQ(bench.verdict(out).undecided, 0);
  for (size_t at : {3, 17, 53}) {
    bench.sums.absolute[at] = INFINITY;
    out[at] += 100;
  }
  Verdict verdict = bench.verdict(out);
  EXPECT_EQ(verdict.undecided, 3);
  EXPECT_EQ(verdict.failures, 0);
}

// benchdnn's comparison (its doc/test_criteria and compare.cpp): with an eltwise
// post-op a result may be off by two roundings of its type, absolute or
// relative.
TEST(Judge, BenchdnnsRuleAllowsTwoRoundingsBehindAFunction) {
  Bench bench("--matmul --dt=bf16 --attr-post-ops=tanh 6x40:40x9",
              FillKind::Normal);
  std::vector<float> out = bench.rounded();
  auto verdict = [&](float by) {
    std::vector<float> off = out;
    for (float &value : off)
      value = std::tanh(value);
    off[7] += by;
    std::vector<uint16_t> stored(off.size());
    numerics::convertArray(types::F32, off.data(), types::BF16, stored.data(),
                           static_cast<int64_t>(off.size()));
    std::vector<const float *> pointers(bench.c.slots.size(), nullptr);
    pointers[bench.c.a] = bench.a.data(), pointers[bench.c.b] = bench.b.data();
    Epilogue epilogue(bench.c, pointers);
    return judgeAsBenchdnn(bench.c, epilogue, bench.sums, stored.data(),
                           bench.pool);
  };
  auto failures = [&](float by) { return verdict(by).failures; };
  EXPECT_EQ(failures(0), 0);
  EXPECT_EQ(failures(0.004f), 0);
  EXPECT_EQ(failures(0.06f), 1);
  EXPECT_EQ(failures(-0.06f), 1);
  Verdict found = verdict(0.06f);
  ASSERT_EQ(found.worst.size(), 1u);
  const WorstPoint &worst = found.worst[0];
  EXPECT_EQ(worst.index, 7);
  EXPECT_EQ(found.failing, std::vector<int64_t>{7});
  EXPECT_EQ(worst.expected, roundTo(types::BF16, std::tanh(out[7])));
  EXPECT_EQ(worst.error, std::abs(worst.got - worst.expected));
  EXPECT_NEAR(worst.error, 0.06, 0.01);
  EXPECT_EQ(worst.bound, 0); // the rule has no bound of an element
  EXPECT_EQ(worst.exactSum, bench.sums.at(7));
}

TEST(Judge, EveryThreadsFindingsCount) {
  Bench bench("--matmul 90x40:40x900", FillKind::Exact, 3);
  std::vector<float> out = bench.rounded();
  for (size_t row : {0, 20, 45, 70, 89})
    out[row * 900 + 3] += 64;
  EXPECT_EQ(bench.verdict(out).failures, 5);
}

TEST(Judge, ExactDataHaveNoBoundAndFunctionsTheirs) {
  Bench exact("--matmul 6x40:40x9", FillKind::Exact);
  Bound bound = makeBound(exact.c, exact.plan, 0x1p-24);
  EXPECT_TRUE(bound.exact);
  EXPECT_EQ(bound.relative, 0);
  EXPECT_EQ(bound.theorem, 0);
  EXPECT_EQ(eltwiseAccuracy("pow", 1, 0.5).ulps, 16);
  EXPECT_EQ(eltwiseAccuracy("pow", 1, 2).ulps, 2);
  EXPECT_EQ(eltwiseAccuracy("relu", 0, 0).ulps, 0);
}

TEST(Judge, IntegerResultsSaturateAndAreEqualOrWrong) {
  Bench bench("--matmul --dt=s8:s8:u8 6x40:40x9", FillKind::Exact);
  std::vector<float> out;
  bool saturates = false;
  for (double sum : bench.sums.wide) {
    out.push_back(static_cast<float>(std::clamp(sum, 0.0, 255.0)));
    saturates |= sum < 0;
  }
  EXPECT_TRUE(saturates);
  EXPECT_TRUE(bench.verdict(out).passed());
  for (size_t at : {size_t{5}, size_t{53}}) {
    float right = out[at];
    out[at] = right > 100 ? right - 1 : right + 1;
    EXPECT_EQ(bench.verdict(out).failures, 1) << at;
    out[at] = right;
  }
}

TEST(Epilogue, StepsComeInTheOrderOfTheProblemAndBoundTheirRounding) {
  Problem problem = problemOf("--matmul --bia-dt=f32 --bia_mask=2 "
                              "--attr-scales=src:common:0.25+dst:common:4 "
                              "--attr-post-ops=relu:0.5+linear:3:1 2x4:4x3");
  Lowered c = llvm::cantFail(lower(problem));
  std::vector<std::vector<float>> values(c.slots.size());
  std::vector<const float *> pointers(c.slots.size(), nullptr);
  for (size_t i = 0; i < c.slots.size(); ++i) {
    values[i].assign(c.slots[i].elements(), 1);
    pointers[i] = values[i].data();
  }
  values[c.bias] = {-100, 7, 1};
  values[c.scaleSlots[0]] = {0.25f};
  values[c.scaleSlots[2]] = {4};
  Epilogue epilogue(c, pointers);
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t at = 0; at < 3; ++at) {
      double sum = 40 + 8 * static_cast<double>(row), value = sum, error = 0;
      int64_t flat = row * 3 + at, width = epilogue.walk().width();
      epilogue.apply(flat / width, flat % width, 1, &value, &error);
      double v = sum * 0.25 + values[c.bias][at];
      v = v > 0 ? v : 0.5 * v;
      EXPECT_EQ(value, (3 * v + 1) / 4);
      EXPECT_LE(error, 1e-5);
      // An error of the sum is passed on with the slopes: 0.25, 1 or 0.5, 3,
      // 1/4.
      double moved = sum, carried = 1e-3;
      epilogue.apply(flat / width, flat % width, 1, &moved, &carried);
      double slope =
          0.25 * (sum * 0.25 + values[c.bias][at] > 0 ? 1 : 0.5) * 3 / 4;
      EXPECT_GE(carried, slope * 1e-3);
      EXPECT_LE(carried, slope * 1e-3 + 2e-5);
    }
}
