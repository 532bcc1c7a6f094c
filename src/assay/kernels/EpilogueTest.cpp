// The operations after the sums, against the formulas in f64: activations, NaN,
// saturation, rounding, long rows, several threads.
#include "assay/kernels/CostModel.h"
#include "assay/kernels/GemmCheck.h"
#include "assay/kernels/Selector.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace assay;
using namespace assay::kernels;

namespace {
struct Epilogue : testing::Test {
  Epilogue()
      : registry(memoryOnly()), selector(makeAnalyticSelector(registry)) {}
  static Registry::Options memoryOnly() {
    Registry::Options options;
    options.diskCache = false;
    return options;
  }
  void run(const GemmProblem &problem, const GemmPointers &pointers) {
    llvm::Error error =
        gemm(problem, pointers, registry, *selector, pool);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }

  Registry registry;
  std::unique_ptr<Selector> selector;
  ThreadPool pool{2};
};

/// A row of values as the result of a product: 1 x n with k = 1.
GemmProblem rowOf(DataType type, size_t n) {
  return GemmProblem::make({type, type}, Layout::RRR, 1,
                           static_cast<int64_t>(n), 1);
}
} // namespace

TEST_F(Epilogue, ActivationsAreTheirFormulas) {
  std::vector<double> values = {-40, -3, -1, -0.25, 0, 1e-3, 0.5, 1, 2.5, 40};
  struct Row {
    Activation activation;
    std::function<double(double)> formula;
  };
  const Row rows[] = {
      {Activation::Tanh, [](double x) { return std::tanh(x); }},
      {Activation::GeluTanh,
       [](double x) {
         return x / 2 *
                (1 + std::tanh(std::sqrt(2 / M_PI) *
                               (x + 0.044715 * std::pow(x, 3))));
       }},
      {Activation::GeluErf,
       [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }},
      {Activation::Logistic, [](double x) { return 1 / (1 + std::exp(-x)); }}};
  std::vector<float> singles(values.begin(), values.end());
  float one = 1;
  double wideOne = 1;
  for (const Row &row : rows) {
    std::vector<float> c(values.size());
    std::vector<double> wide(values.size());
    GemmProblem problem = rowOf(DataType::F32, values.size());
    problem.activation = row.activation;
    run(problem, {&one, singles.data(), c.data(), nullptr, nullptr});
    problem = rowOf(DataType::F64, values.size());
    problem.activation = row.activation;
    run(problem, {&wideOne, values.data(), wide.data(), nullptr, nullptr});
    for (size_t i = 0; i < values.size(); ++i) {
      double expected = row.formula(values[i]),
             scale = std::max(std::abs(values[i]), std::abs(expected));
      EXPECT_NEAR(c[i], row.formula(singles[i]), 4e-7 * std::max(scale, 1e-3))
          << toString(row.activation) << " " << values[i];
      EXPECT_NEAR(wide[i], expected, 4e-16 * std::max(scale, 1.0))
          << toString(row.activation) << " " << values[i];
    }
  }
}

TEST_F(Epilogue, NaNAndInfinityStayInEveryFloat) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  // A NaN whose payload is in the bits that bf16 lacks.
  uint32_t low = 0x7f800001, high = 0xff80ffff;
  float odd[2];
  std::memcpy(&odd[0], &low, 4);
  std::memcpy(&odd[1], &high, 4);
  // Sums of s8 products become floats by means of scales, which do not change
  // them here.
  GemmProblem problem = rowOf(DataType::S8, 7);
  problem.scale = Scale::PerColumn;
  int8_t one = 1, b[7] = {1, 1, 1, 1, 1, 1, 1};
  float scale[7] = {nan, odd[0], odd[1], inf, -inf, 3.4e38f, -0.0f};
  problem.c = DataType::F32;
  float f32[7];
  run(problem, {&one, b, f32, nullptr, scale});
  for (int i : {0, 1, 2})
    EXPECT_TRUE(std::isnan(f32[i])) << i;
  EXPECT_EQ(f32[3], inf);
  EXPECT_EQ(f32[4], -inf);
  EXPECT_TRUE(std::signbit(f32[6]));

  float all[7];
  std::copy_n(scale, 7, all);
  float plainOne = 1;
  GemmProblem plain = rowOf(DataType::F32, 7);
  plain.c = DataType::BF16;
  uint16_t bf16[7];
  run(plain, {&plainOne, all, bf16, nullptr, nullptr});
  for (int i : {0, 1, 2})
    EXPECT_GT(bf16[i] & 0x7fff, 0x7f80) << i;
  EXPECT_EQ(bf16[3], 0x7f80);
  EXPECT_EQ(bf16[4], 0xff80);
  EXPECT_EQ(bf16[5], 0x7f80); // rounds upwards, out of range
  plain.c = DataType::F16;
  uint16_t f16[7];
  run(plain, {&plainOne, all, f16, nullptr, nullptr});
  for (int i : {0, 1, 2})
    EXPECT_GT(f16[i] & 0x7fff, 0x7c00) << i;
  EXPECT_EQ(f16[3], 0x7c00);
  EXPECT_EQ(f16[5], 0x7c00);
}

TEST_F(Epilogue, HalfwayCasesOfBf16GoToTheEvenOne) {
  GemmProblem problem = rowOf(DataType::F32, 5);
  problem.c = DataType::BF16;
  float one = 1, b[5] = {0x1.01p0f, 0x1.03p0f, 0x1.010002p0f, -0x1.03p0f,
                         0x1.ffp0f};
  uint16_t c[5];
  run(problem, {&one, b, c, nullptr, nullptr});
  EXPECT_EQ(c[0], 0x3f80);
  EXPECT_EQ(c[1], 0x3f82);
  EXPECT_EQ(c[2], 0x3f81);
  EXPECT_EQ(c[3], 0xbf82);
  EXPECT_EQ(c[4], 0x4000);
}

template <typename T>
static std::vector<int64_t> saturated(Epilogue &test, DataType type,
                                      std::vector<float> scale) {
  GemmProblem problem = rowOf(DataType::S8, scale.size());
  problem.c = type;
  problem.scale = Scale::PerColumn;
  int8_t one = 1;
  std::vector<int8_t> b(scale.size(), 1);
  std::vector<T> c(scale.size());
  test.run(problem, {&one, b.data(), c.data(), nullptr, scale.data()});
  return std::vector<int64_t>(c.begin(), c.end());
}

TEST_F(Epilogue, IntegersSaturateRoundToEvenAndTakeNaNForZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  using Numbers = std::vector<int64_t>;
  std::vector<float> scale = {0.5f, 1.5f,   2.5f,    -0.5f, -1.5f, 127.4f,
                              128,  -128.4f, -129, 255.4f, 256,   1e10f,
                              -1e10f, inf, -inf, nan};
  EXPECT_EQ(saturated<int8_t>(*this, DataType::S8, scale),
            Numbers({0, 2, 2, 0, -2, 127, 127, -128, -128, 127, 127, 127, -128,
                     127, -128, 0}));
  EXPECT_EQ(saturated<uint8_t>(*this, DataType::U8, scale),
            Numbers({0, 2, 2, 0, 0, 127, 128, 0, 0, 255, 255, 255, 0, 255, 0,
                     0}));
  constexpr int64_t kMost = INT32_MAX, kLeast = INT32_MIN;
  EXPECT_EQ(saturated<int32_t>(*this, DataType::S32, scale),
            Numbers({0, 2, 2, 0, -2, 127, 128, -128, -129, 255, 256, kMost,
                     kLeast, kMost, kLeast, 0}));
}

namespace {
class Through final : public PreparedGemm {
public:
  Through(Epilogue &test, const GemmProblem &problem)
      : test_(test), problem_(problem) {}
  void run(const GemmPointers &pointers, ThreadPool &) const override {
    test_.run(problem_, pointers);
  }

private:
  Epilogue &test_;
  const GemmProblem &problem_;
};
} // namespace

TEST_F(Epilogue, RowsLongerThanABlockAndSharedByThreadsAreExact) {
  // 300 columns are more than the 256 that are finished at once; 60000 elements
  // are enough for two threads.
  for (auto [m, n] : {std::pair(3, 300), std::pair(200, 300)})
    for (DataType c : {DataType::BF16, DataType::F32})
      for (Bias bias : {Bias::PerColumn, Bias::PerRow}) {
        GemmProblem problem =
            GemmProblem::make({}, Layout::RCR, m, n, 3, 1, 2);
        problem.c = c;
        problem.bias = bias;
        problem.scale = Scale::PerColumn;
        problem.beta = 1;
        llvm::Error error =
            compareWithNaive(problem, Through(*this, problem), pool, 8);
        EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      }
}

// A separate pass over C begins, on each thread, with that thread's rows; it
// also adds the parts of a split k.
TEST_F(Epilogue, APassOfItsOwnOverCKnowsItsRows) {
  for (Bias bias : {Bias::PerRow, Bias::PerColumn})
    for (DataType c : {DataType::F32, DataType::BF16}) {
      GemmProblem problem =
          GemmProblem::make({}, Layout::RCR, 200, 300, 64, 1, 2);
      problem.c = c;
      problem.bias = bias;
      int tried = 0, dots = 0;
      for (const GemmConfig &config :
           registry.enumerate(TypePair{}, Layout::RCR)) {
        bool isDot = config.family == Family::Dot;
        if (!isDot && config.epilogue == EpilogueMode::Fused &&
            config.splitK == 1)
          continue;
        if ((isDot ? dots : tried) == 8)
          continue;
        auto kernel = registry.prepare(problem, config);
        if (!kernel) {
          llvm::consumeError(kernel.takeError());
          continue;
        }
        llvm::Error error = compareWithNaive(problem, **kernel, pool, 8);
        EXPECT_FALSE(bool(error))
            << config.name() << ": " << llvm::toString(std::move(error));
        ++(isDot ? dots : tried);
      }
      EXPECT_EQ(tried, 8);
      EXPECT_EQ(dots, 8);
    }
}
