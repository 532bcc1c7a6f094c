#include "assay/judge/contraction/Fill.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

static std::vector<float> filled(const Lowered &c, const FillPlan &plan,
                                 int slot) {
  ThreadPool pool(2);
  std::vector<float> values(c.slots[slot].elements());
  fillSlot(c, plan, slot, values.data(), pool);
  return values;
}

namespace {
struct Shape {
  const char *driver, *types, *direction, *text;
};
} // namespace

static const Shape kShapes[] = {
    {"--matmul", "--dt=f32", nullptr, "3x4096:4096x5"},
    {"--matmul", "--dt=bf16", nullptr, "3x4096:4096x5"},
    {"--matmul", "--dt=s8", nullptr, "3x4096:4096x5"},
    {"--matmul", "--dt=u8:s8:s8", nullptr, "3x1000:1000x5"},
    {"--matmul", "--dt=f16", nullptr, "2x3x17:2x17x5"},
    {"--matmul", "--dt=bf16", nullptr, "1x65536:65536x2"},
    {"--conv", "--dt=bf16", "--dir=FWD_D", "g2ic34ih5oc6kh3ph1"},
    {"--conv", "--dt=bf16", "--dir=BWD_D", "ic5ih5oc33kh3ph1"},
    {"--conv", "--dt=bf16", "--dir=BWD_W", "mb8ic5ih5oc3kh3ph1"},
    {"--conv", "--dt=s8", "--dir=FWD_D", "g8ic8ih5oc8kh3ph1"},
    {"--deconv", "--dt=bf16", "--dir=FWD_D", "ic16ih5oc6kh3"},
    {"--ip", "--dt=bf16", "--dir=BWD_W", "mb32ic5ih2oc3"}};

static Problem shapeProblem(const Shape &shape) {
  std::vector<const char *> words{shape.driver, shape.types};
  if (shape.direction)
    words.push_back(shape.direction);
  words.push_back(shape.text);
  return problemOfWords(words);
}

TEST(Fill, ExactDataExercisesEveryTermAndStaysExactInAnyOrder) {
  for (const Shape &shape : kShapes) {
    Problem problem = shapeProblem(shape);
    Lowered c = llvm::cantFail(lower(problem));
    FillPlan plan = planFill(c, FillKind::Exact, 1);
    ASSERT_TRUE(plan.exact) << shape.text;
    std::vector<float> a = filled(c, plan, c.a), b = filled(c, plan, c.b);
    for (int64_t i = 0; i < c.contraction.cElements(); ++i) {
      double absolute = 0;
      int64_t zeros = 0;
      forEachTerm(c.contraction, i, [&](int64_t x, int64_t y) {
        double term = static_cast<double>(a[x]) * b[y] / plan.unit;
        zeros += term == 0;
        EXPECT_EQ(term, std::nearbyint(term));
        absolute += std::abs(term);
      });
      EXPECT_EQ(zeros, 0) << shape.text;
      // Every partial sum in any order is an integer of at most this magnitude.
      EXPECT_LE(absolute, 16777216.0) << shape.text;
      EXPECT_LE(absolute, plan.absoluteSum) << shape.text;
    }
  }
}

TEST(Fill, ExactSumsOfNarrowTypesAreRepresentable) {
  Problem problem =
      problemOfWords({"--matmul", "--dt=bf16", "16x4096:4096x16"});
  Lowered c = llvm::cantFail(lower(problem));
  FillPlan plan = planFill(c, FillKind::Exact, 1);
  std::vector<float> a = filled(c, plan, c.a), b = filled(c, plan, c.b);
  int representable = 0;
  for (int64_t i = 0; i < 256; ++i) {
    double sum = contractPoint(c.contraction, a.data(), b.data(), i).value;
    representable += std::abs(sum) <= 256;
  }
  EXPECT_GT(representable, 250);
}

TEST(Fill, AnyElementIsMadeAlone) {
  for (FillKind kind : {FillKind::Exact, FillKind::Normal, FillKind::Uniform,
                        FillKind::Heavy, FillKind::Cancel, FillKind::Special,
                        FillKind::Range})
    for (const Shape &shape : kShapes) {
      Problem problem = shapeProblem(shape);
      Lowered c = llvm::cantFail(lower(problem));
      FillPlan plan = planFill(c, kind, 7);
      for (int slot : {c.a, c.b}) {
        std::vector<float> values = filled(c, plan, slot);
        for (size_t i = 0; i < values.size(); i += 1 + values.size() / 37) {
          float alone = fillElement(c, plan, slot, static_cast<int64_t>(i));
          EXPECT_TRUE(alone == values[i] ||
                      (std::isnan(alone) && std::isnan(values[i])))
              << shape.text << " " << i;
        }
      }
    }
}

TEST(Fill, SeedsGiveDifferentData) {
  Problem problem = problemOfWords({"--matmul", "64x64:64x64"});
  Lowered c = llvm::cantFail(lower(problem));
  EXPECT_NE(filled(c, planFill(c, FillKind::Normal, 1), c.a),
            filled(c, planFill(c, FillKind::Normal, 2), c.a));
}

TEST(Fill, NormalHasTheMomentsAndTailsOfANormal) {
  Problem problem = problemOfWords({"--matmul", "1024x1024:1024x16"});
  Lowered c = llvm::cantFail(lower(problem));
  FillPlan plan = planFill(c, FillKind::Normal, 3);
  std::vector<float> a = filled(c, plan, c.a);
  double m1 = 0, m2 = 0, m4 = 0, biggest = 0;
  int beyondTwo = 0;
  for (float value : a) {
    double x = value / plan.unit;
    m1 += x, m2 += x * x, m4 += x * x * x * x;
    biggest = std::max(biggest, std::abs(x));
    beyondTwo += std::abs(x) > 2;
  }
  double n = static_cast<double>(a.size());
  EXPECT_NEAR(m1 / n, 0, 0.004);
  EXPECT_NEAR(m2 / n, 1, 0.01);
  EXPECT_NEAR(m4 / n, 3, 0.06);
  EXPECT_NEAR(beyondTwo / n, 0.0455, 0.001); // 2 (1 - Phi(2))
  EXPECT_GT(biggest, 4.2);
  EXPECT_LT(biggest, 6.0);
}

TEST(Fill, PackingRespectsStridesAndTypes) {
  Problem problem =
      problemOfWords({"--matmul", "--dt=s8:s8:s32", "--stag=ba", "5x7:7x3"});
  Lowered c = llvm::cantFail(lower(problem));
  ThreadPool pool(1);
  FillPlan plan = planFill(c, FillKind::Exact, 1);
  std::vector<float> a = filled(c, plan, c.a), back(a.size());
  std::vector<int8_t> stored(a.size());
  pack(c.slots[c.a], a.data(), stored.data(), pool);
  EXPECT_EQ(stored[1],
            static_cast<int8_t>(a[7])); // column-major: [1][0] is second
  unpack(c.slots[c.a], stored.data(), back.data(), pool);
  EXPECT_EQ(a, back);
}

TEST(Fill, SpecialDataMeetZerosWithInfinitiesAndLinesOfNan) {
  Problem problem = problemOfWords({"--matmul", "--dt=bf16", "64x48:48x64"});
  Lowered c = llvm::cantFail(lower(problem));
  FillPlan plan = planFill(c, FillKind::Special, 1);
  std::vector<float> a = filled(c, plan, c.a), b = filled(c, plan, c.b);
  int nan = 0, infinite = 0, tiny = 0, large = 0, byZero = 0;
  for (int64_t i = 0; i < c.contraction.cElements(); ++i) {
    double value = contractPoint(c.contraction, a.data(), b.data(), i).value;
    nan += std::isnan(value);
    infinite += std::isinf(value);
    tiny += value != 0 && std::abs(value) < 1e-28;
    large += std::isfinite(value) && std::abs(value) > 1e6;
    forEachTerm(c.contraction, i, [&](int64_t x, int64_t y) {
      byZero += a[x] == 0 && std::isinf(b[y]);
    });
  }
  EXPECT_GT(nan, 500);
  EXPECT_GT(infinite, 500);
  EXPECT_GT(tiny, 64);
  EXPECT_GT(large, 64);
  EXPECT_GT(byZero, 100);
  EXPECT_LT(nan + infinite, 3200); // the others are ordinary
}

TEST(Fill, RangeDataOf8BitFactorsLeave16Bits) {
  Problem problem =
      problemOfWords({"--matmul", "--dt=s8:s8:s32", "16x40:40x16"});
  Lowered c = llvm::cantFail(lower(problem));
  FillPlan plan = planFill(c, FillKind::Range, 1);
  std::vector<float> a = filled(c, plan, c.a), b = filled(c, plan, c.b);
  int beyond = 0;
  for (size_t k = 0; k < 40; k += 2)
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j)
        beyond += std::abs(a[i * 40 + k] * b[k * 16 + j] +
                           a[i * 40 + k + 1] * b[(k + 1) * 16 + j]) > 32767;
  EXPECT_GT(beyond, 10);
}

TEST(Fill, SumsOf8BitFactorsLeaveTheDigitsOfAFloat) {
  Problem problem =
      problemOfWords({"--matmul", "--dt=u8:s8:s32", "3x2048:2048x4"});
  Lowered c = llvm::cantFail(lower(problem));
  FillPlan plan = planFill(c, FillKind::Range, 1);
  std::vector<float> a = filled(c, plan, c.a), b = filled(c, plan, c.b);
  int64_t sum = 0, inFloat = 0;
  for (size_t k = 0; k < 2048; ++k) {
    auto term = static_cast<int64_t>(a[2048 + k] * b[k * 4 + 1]);
    sum += term;
    inFloat = static_cast<int64_t>(static_cast<float>(inFloat) +
                                   static_cast<float>(term));
  }
  EXPECT_GT(sum, 1 << 25);
  EXPECT_NE(sum, inFloat);
}

TEST(Fill, DefaultDataAreLeftOutWhereTheyShowNothingMore) {
  auto shown = [](const char *type, FillKind kind, const KeptNumbers &kept) {
    Problem problem = problemOfWords({"--matmul", type, "8x8:8x8"});
    return showsMore(llvm::cantFail(lower(problem)), kind, kept);
  };
  KeptNumbers all, few;
  few.integerEnds = false;
  EXPECT_FALSE(shown("--dt=f32", FillKind::Range, all));
  EXPECT_TRUE(shown("--dt=bf16", FillKind::Range, all));
  EXPECT_TRUE(shown("--dt=s8:s8:s32", FillKind::Range, all));
  EXPECT_FALSE(shown("--dt=s8:s8:s32", FillKind::Range, few));
  EXPECT_TRUE(shown("--dt=f32", FillKind::Special, all));
  EXPECT_FALSE(shown("--dt=s8:s8:s32", FillKind::Special, all));
}
