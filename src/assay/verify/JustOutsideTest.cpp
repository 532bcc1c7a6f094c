// For every supported row of PostOps.def, chains of them, the sums themselves
// (by kind of data, and Winograd's) and the bias gradient: a result just
// outside the bound of a correct but poor implementation fails, and one just
// inside passes. These bounds are repeated here from the sources that the
// bounds name, so that a bound that grows is noticed; a row without a case
// fails.
#include "assay/judge/contraction/BiasGradient.h"
#include "assay/judge/contraction/ContractionJudge.h"
#include "assay/numerics/Convert.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <random>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

static constexpr double kUlp = 0x1p-23, kHalf = 0x1p-24;

namespace {
/// One post-op: its words; its formula of the value x and the second operand or
/// previous result w; the error of a poor implementation, ulps * 2^-23 |y| +
/// absolute, apart from the rounding of the result.
struct Row {
  const char *words;
  double (*formula)(double x, double w);
  double ulps = 0, absolute = 0;
  double low = -3, high = 3; ///< of x
  bool isChoice = false;     ///< nothing is rounded
};
} // namespace

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Rows by their name in PostOps.def. Errors: docs/verify_eltwise.md.
static const std::map<std::string, Row> kRows = {
#include "assay/verify/JustOutsideRows.def"
};

/// The second operands and previous results: a float that uses all its bits.
static constexpr float kOther = 0.7310585786F;

static double chainOf(llvm::ArrayRef<const Row *> chain, size_t from,
                      double x) {
  for (const Row *row : chain.drop_front(from))
    x = row->formula(x, kOther);
  return x;
}

/// How far the chain's result is from `about` if its operand is off by up to `by`.
static double spreadOf(llvm::ArrayRef<const Row *> chain, double x, double by,
                       double about) {
  double most = 0;
  for (int i = -8; by > 0 && i <= 8; ++i)
    most = std::max(most, std::fabs(chainOf(chain, 0, x + by * i / 8) - about));
  return most;
}

/// The largest error of a poor implementation of the chain where its operand is
/// off by `error`: each step's own error, carried through the steps after it. A
/// result that no error reaches, such as a constant maximum, is exact again.
static double poorError(llvm::ArrayRef<const Row *> chain, double x,
                        double error) {
  double exact = chainOf(chain, 0, x), value = x,
         total = spreadOf(chain, x, error, exact);
  for (size_t i = 0; i < chain.size(); ++i) {
    const Row &row = *chain[i];
    double y = row.formula(value, kOther),
           into = i == 0 ? error : poorError(chain.take_front(i), x, error);
    bool isInexact = static_cast<float>(y) != y ||
                     spreadOf(chain.slice(i, 1), value, into, y) > 0;
    double own = row.ulps * kUlp * std::fabs(y) + row.absolute +
                 (isInexact && !row.isChoice ? kHalf * std::fabs(y) : 0);
    total += i + 1 == chain.size()
                 ? own
                 : spreadOf(chain.drop_front(i + 1), y, own, exact);
    value = y;
  }
  return total;
}

namespace {
/// A product of f32 with post-ops and with given sums.
struct Chain {
  Problem problem;
  Lowered c;
  ThreadPool pool{1};
  std::vector<std::vector<float>> values;
  std::vector<double> sums;

  Chain(const std::string &options, std::vector<double> given)
      : problem(problemOf("--matmul " + options + " 1x4:4x" +
                          std::to_string(given.size()))),
        c(llvm::cantFail(lower(problem))), sums(std::move(given)) {
    for (const Slot &slot : c.slots)
      values.emplace_back(static_cast<size_t>(slot.elements()), kOther);
  }
  /// `error`: the error of each sum.
  Verdict verdict(const std::vector<float> &out, double error) {
    std::vector<const float *> pointers;
    for (const std::vector<float> &slot : values)
      pointers.push_back(slot.data());
    Epilogue epilogue(c, pointers);
    Accumulators given;
    given.wide = sums;
    Bound bound;
    bound.exact = error == 0;
    bound.underflow = error;
    FillPlan plan = planFill(c, FillKind::Normal, 5);
    return judgeContraction(c, plan, epilogue, given, bound, out.data(), pool);
  }
};
} // namespace

/// f32 numbers that use all their bits, in the range of the whole chain.
static std::vector<double> pointsOf(llvm::ArrayRef<const Row *> chain,
                                    uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> draw(chain[0]->low, chain[0]->high);
  std::vector<double> points;
  for (int tries = 0; points.size() < 40 && tries < 4000; ++tries) {
    double x = static_cast<float>(draw(random)), y = x;
    bool fits = true;
    for (const Row *row : chain) {
      // Neither near the threshold of a choice, nor where all digits cancel.
      bool isNearTurn =
          row->isChoice && (std::fabs(y - kOther) < 1e-2 ||
                            std::fabs(y - std::floor(y) - 0.5) < 1e-2 ||
                            std::fabs(y - std::nearbyint(y)) < 1e-2);
      fits &= y > row->low && y < row->high && !isNearTurn;
      y = row->formula(y, kOther);
      fits &= std::fabs(y) > 1e-2 || row->isChoice;
    }
    if (fits)
      points.push_back(x);
  }
  return points;
}

static void check(llvm::ArrayRef<const Row *> chain, double relative,
                  uint64_t seed) {
  std::string words;
  for (const Row *row : chain)
    words += (words.empty() ? "" : "+") + std::string(row->words);
  std::vector<double> points = pointsOf(chain, seed);
  if (points.size() < 8)
    return;
  double error = relative * std::fabs(chain[0]->high);
  bool isOption = llvm::StringRef(words).starts_with("--");
  Chain bench((isOption ? "" : "--attr-post-ops=") + words, points);
  for (double share : {0.9, 1.6}) {
    std::vector<float> out;
    for (double x : points) {
      double y = chainOf(chain, 0, x), poor = poorError(chain, x, error);
      // The judge adds the last rounding.
      double by = share * poor + (share > 1 ? 2.1 * kUlp * std::fabs(y) : 0);
      if (chain.back()->isChoice && share > 1)
        by = std::max(by, kUlp);
      out.push_back(static_cast<float>(y + (std::signbit(y) ? -by : by)));
    }
    Verdict verdict = bench.verdict(out, error);
    EXPECT_EQ(verdict.undecided, 0) << words;
    EXPECT_EQ(verdict.failures, share > 1 ? verdict.elements : 0)
        << words << ", sums off by " << error << ": at " << share
        << " of what a poor implementation is off by";
  }
}

TEST(JustOutside, EveryPostOpFailsResultsBeyondAPoorImplementation) {
  struct {
    const char *name;
    bool supported;
  } const rows[] = {
#define ASSAY_POST_OP(name, kind, supported) {name, supported},
#include "assay/verify/PostOps.def"
#undef ASSAY_POST_OP
  };
  for (const auto &row : rows) {
    if (!row.supported)
      continue;
    auto found = kRows.find(row.name);
    if (found == kRows.end()) {
      ADD_FAILURE() << row.name << " has a bound and no case here";
      continue;
    }
    const Row *chain = &found->second;
    for (double relative : {0.0, 0x1p-20, 0x1p-13})
      check({&chain, 1}, relative, 7);
  }
}

TEST(JustOutside, ScalesAndABias) {
  for (const Row &row :
       {Row{"--attr-scales=src:common:0.3",
            [](double x, double w) { return x * w; }},
        Row{"--attr-scales=wei:per_oc:f32",
            [](double x, double w) { return x * w; }},
        Row{"--attr-scales=dst:common:0.3",
            [](double x, double w) { return x / w; }, 0.5},
        Row{"--bia-dt=f32", [](double x, double w) { return x + w; }}}) {
    const Row *chain = &row;
    for (double relative : {0.0, 0x1p-20, 0x1p-13})
      check({&chain, 1}, relative, 7);
  }
}

TEST(JustOutside, ChainsOfPostOpsCarryTheirErrors) {
  std::vector<const Row *> all;
  for (const auto &[name, row] : kRows)
    all.push_back(&row);
  std::mt19937_64 random(3);
  int ran = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<const Row *> chain;
    bool hasSum = false;
    for (size_t length = 2 + random() % 3; chain.size() < length;) {
      const Row *next = all[random() % all.size()];
      bool isSum = next == &kRows.at("sum");
      if (isSum && hasSum)
        continue;
      hasSum |= isSum;
      chain.push_back(next);
    }
    ran += pointsOf(chain, i).size() >= 8;
    for (double relative : {0.0, 0x1p-20})
      check(chain, relative, i);
  }
  EXPECT_GT(ran, 60);
}

// Sums in f32, by kind of data: 6 sqrt(K) u S for any, max(16, sqrt(K)) u S for
// terms of mean zero, gamma(K) S where that is less (docs/verify_calibration.md);
// Winograd's transforms: the error measured with tiles of 4 x 4 results on
// normal data, corners included, (900 / sqrt(channels) + 30) u S.
TEST(JustOutside, SumsByTheirKindOfData) {
  for (double depth : {4.0, 64.0, 1024.0, 32768.0})
    for (FillKind kind : {FillKind::Normal, FillKind::Uniform, FillKind::Heavy,
                          FillKind::Cancel}) {
      std::string k = std::to_string(static_cast<int64_t>(depth));
      Problem problem = problemOf("--matmul 2x" + k + ":" + k + "x2");
      Lowered c = llvm::cantFail(lower(problem));
      bool isMeanZero = kind == FillKind::Normal || kind == FillKind::Cancel;
      double poor =
          std::min(depth * kHalf, (isMeanZero ? std::max(16.0, std::sqrt(depth))
                                              : 6 * std::sqrt(depth)) *
                                      kHalf);
      Bound bound = makeBound(c, planFill(c, kind, 5), 0);
      EXPECT_GE(bound.relative, 0.9 * poor) << k;
      EXPECT_LE(bound.relative, 1.5 * poor) << k;
    }
}

TEST(JustOutside, WinogradsSums) {
  for (double channels : {1.0, 3.0, 8.0, 32.0, 128.0, 512.0}) {
    std::string ic = std::to_string(static_cast<int64_t>(channels));
    for (const char *words : {"--conv --alg=wino", "--conv --alg=auto"}) {
      Problem problem =
          problemOf(std::string(words) + " ic" + ic + "ih8oc4oh8kh3ph1");
      Lowered c = llvm::cantFail(lower(problem));
      double depth = 9 * channels, poor = (std::max(16.0, std::sqrt(depth)) +
                                           900 / std::sqrt(channels) + 30) *
                                          kHalf;
      Bound bound = makeBound(c, planFill(c, FillKind::Normal, 5), 0);
      EXPECT_FALSE(bound.exact);
      EXPECT_GE(bound.relative, 0.9 * poor) << ic;
      EXPECT_LE(bound.relative, 1.5 * poor) << ic;
    }
  }
}

// The gradient of a bias: sums of its channel, with the bound of sums.
TEST(JustOutside, BiasGradients) {
  for (int64_t area : {5, 600})
    for (FillKind kind : {FillKind::Normal, FillKind::Heavy}) {
      Slot grad, bias;
      grad.dims = {3, 4, area}, bias.dims = {4};
      std::mt19937_64 random(5);
      std::normal_distribution<float> draw;
      std::vector<float> values(static_cast<size_t>(grad.elements()));
      for (float &x : values)
        x = draw(random);
      double depth = 3 * static_cast<double>(area);
      double unit = kind == FillKind::Normal ? std::max(16.0, std::sqrt(depth))
                                             : 6 * std::sqrt(depth),
             poor = std::min(depth, unit) * kHalf;
      std::vector<double> sums(4), sizes(4);
      for (size_t i = 0; i < values.size(); ++i) {
        size_t channel = i / static_cast<size_t>(area) % 4;
        sums[channel] += values[i];
        sizes[channel] += std::fabs(values[i]);
      }
      FillPlan plan;
      plan.kind = kind;
      for (double share : {0.9, 1.6}) {
        std::vector<double> got;
        for (size_t channel = 0; channel < 4; ++channel)
          got.push_back(static_cast<float>(
              sums[channel] + share * poor * sizes[channel] +
              (share > 1 ? kUlp * std::fabs(sums[channel]) : 0)));
        Verdict verdict =
            judgeBiasGradient(grad, values.data(), bias, plan, got);
        EXPECT_EQ(verdict.failures, share > 1 ? 4 : 0)
            << area << " at " << share;
      }
    }
}
