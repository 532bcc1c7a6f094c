// Compares a seeded sample of configurations of every type and layout with a
// naive loop, on exact data, with awkward sizes, strides, alpha, beta, bias,
// scales and batches. Equality is required.
#include "assay/kernels/CostModel.h"
#include "assay/kernels/GemmCheck.h"
#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <tuple>

using namespace assay;
using namespace assay::kernels;

static Registry::Options memoryOnly() {
  Registry::Options options;
  options.diskCache = false;
  return options;
}

namespace {
/// Draws problems and configurations from a counter: trial i is the same on
/// every machine with the same registry.
class Draw {
public:
  explicit Draw(uint64_t trial) : random_(42, trial) {}
  int64_t pick(int64_t low, int64_t high) {
    return random_.integer(next_++, low, high);
  }
  template <typename T> T of(std::initializer_list<T> values) {
    return values.begin()[pick(0, static_cast<int64_t>(values.size()) - 1)];
  }

private:
  CounterRandom random_;
  uint64_t next_ = 0;
};
} // namespace

static GemmProblem drawProblem(Draw &draw, TypePair types, Layout layout,
                               const GemmConfig &config) {
  auto size = [&](int64_t t) {
    return std::max<int64_t>(
        1, draw.of<int64_t>({1, t - 1, t, t + 1, 2 * t + 1, 3 * t - 2}));
  };
  int64_t m = size(std::max(1, config.mr)), n = size(std::max(1, config.nr)),
          k = size(std::max(1, 2 * config.kr));
  if (config.family == Family::Gemv) {
    (aIsRowMajor(layout) || draw.pick(0, 1) ? m : n) = 1;
    k = size(70);
  }
  if (config.splitK > 1)
    k += int64_t(config.splitK) * std::max(64, config.kr * 4);
  GemmProblem p =
      GemmProblem::make(types, layout, m, n, k, draw.of<int64_t>({1, 1, 1, 3}),
                        static_cast<int>(draw.pick(1, 2)));
  int64_t gap = draw.of<int64_t>({0, 0, 5});
  (aIsRowMajor(layout) ? p.aStrides.row : p.aStrides.column) += gap;
  (bIsRowMajor(layout) ? p.bStrides.row : p.bStrides.column) += gap;
  p.aStrides.batch = draw.of<int64_t>({0, 1}) * (m + gap) * (k + gap);
  p.bStrides.batch = draw.of<int64_t>({0, 1}) * (k + gap) * (n + gap);
  p.cStrides = {n + gap, 1, m * (n + gap) + gap};
  bool integer = p.acc == DataType::S32;
  p.alpha = integer ? 1 : draw.of<double>({1, 1, 2, -0.5});
  p.beta = draw.of<double>({0, 0, 1, integer ? 0.0 : -2.0});
  p.bias = draw.of<Bias>({Bias::None, Bias::PerColumn, Bias::PerRow});
  p.scale = draw.of<Scale>({Scale::None, Scale::None, Scale::PerColumn});
  p.activation = draw.of<Activation>({Activation::None, Activation::Relu});
  if (integer)
    p.c = draw.of<DataType>({DataType::S32, DataType::S32, DataType::F32,
                             DataType::S8, DataType::U8});
  else if (p.acc == DataType::F32)
    p.c = draw.of<DataType>(
        {DataType::F32, DataType::F32, DataType::BF16, DataType::F16});
  return p;
}

namespace {
struct Trial {
  uint64_t number;
  GemmProblem problem;
  GemmConfig config;
  std::shared_ptr<const PreparedGemm> gemm;
  std::string wrong;
};
} // namespace

/// `only`: only configurations of that family.
static void runSample(Registry &registry, uint64_t trials,
                      std::initializer_list<const char *> typeNames,
                      std::optional<Family> only = std::nullopt) {
  ThreadPool pool(2);
  std::vector<Trial> drawn;
  uint64_t done = 0;
  for (uint64_t trial = 0; done < trials && trial < trials * 20; ++trial) {
    Draw draw(trial);
    TypePair types = *parseTypePair(draw.of(typeNames));
    Layout layout =
        draw.of<Layout>({Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR});
    llvm::ArrayRef<GemmConfig> configs = registry.enumerate(types, layout);
    // The tile family has thousands of configurations, the others dozens, so
    // the family is drawn first.
    auto family =
        only ? *only
             : draw.of<Family>({Family::Tile, Family::Tile, Family::Amx,
                                Family::Dot, Family::Gemv, Family::Tiny});
    std::vector<GemmConfig> own;
    llvm::copy_if(configs, std::back_inserter(own),
                  [&](const GemmConfig &c) { return c.family == family; });
    if (own.empty())
      continue;
    GemmConfig config = own[static_cast<size_t>(
        draw.pick(0, static_cast<int64_t>(own.size()) - 1))];
    GemmProblem problem = drawProblem(draw, types, layout, config);
    if (draw.pick(0, 1) && config.kc > 0) { // blocks smaller than the problem
      config.mc = std::max(1, config.mr);
      config.nc = std::max(1, config.nr);
      config.kc = config.kr;
    }
    if (registry.supports(problem, config))
      continue;
    ++done;
    drawn.push_back({trial, problem, config, nullptr, ""});
  }
  EXPECT_EQ(done, trials);
  // Compiling is most of the work, and the kernels are independent.
  pool.parallelFor(static_cast<int64_t>(drawn.size()), 1,
                   [&](int64_t first, int64_t last) {
                     for (int64_t index = first; index < last; ++index) {
                       Trial &t = drawn[static_cast<size_t>(index)];
                       auto gemm = registry.prepare(t.problem, t.config);
                       if (gemm)
                         t.gemm = *gemm;
                       else
                         t.wrong = llvm::toString(gemm.takeError());
                     }
                   });
  for (Trial &t : drawn) {
    ASSERT_TRUE(t.gemm) << t.config.name() << ": " << t.wrong;
    llvm::Error error = compareWithNaive(t.problem, *t.gemm, pool, t.number);
    ASSERT_FALSE(bool(error))
        << t.config.name() << ": " << llvm::toString(std::move(error))
        << " (trial " << t.number << ")";
  }
}

TEST(Gemm, SampleOfConfigurationsIsExact) {
  Registry registry(memoryOnly());
  runSample(registry, 500,
            {"f32", "f32", "f64", "bf16", "f16", "u8s8", "s8", "u8", "s8u8"});
}

TEST(Gemm, LargeResultsThatPassTheCachesAreExact) {
  Registry registry(memoryOnly());
  ThreadPool pool(2);
  for (const char *types : {"f32", "bf16"})
    for (const char *name :
         {"tile_6x64x4_96x3072x192_pp_nkm_plain_sk1_t0x0_exact_fused",
          "amx_32x32x32_128x3072x512_pp_nkm_pf2_sk1_t0x0_exact_fused"}) {
      // Rows that begin on a cache line, with some ragged tiles. 32 MB is more
      // than the bound on any machine with at most 2 MB of second-level cache.
      GemmProblem problem = GemmProblem::make(*parseTypePair(types),
                                              Layout::RCR, 2100, 4016, 2, 1, 2);
      GemmConfig config = llvm::cantFail(parseConfig(name));
      if (llvm::StringRef(types) == "bf16" && config.family == Family::Tile)
        config.kr = 8;
      if (registry.supports(problem, config))
        continue;
      auto gemm = registry.prepare(problem, config);
      ASSERT_TRUE(bool(gemm)) << llvm::toString(gemm.takeError());
      llvm::Error error = compareWithNaive(problem, **gemm, pool, 1);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    }
}

namespace {
/// One family of kernels on one instruction set. A set that this processor
/// lacks is skipped, with its name.
struct Coverage : testing::TestWithParam<std::tuple<const char *, Family>> {
  void SetUp() override { setenv("ASSAY_ISA", std::get<0>(GetParam()), 1); }
  void TearDown() override { unsetenv("ASSAY_ISA"); }
};
} // namespace

TEST_P(Coverage, IsExact) {
  auto [isa, family] = GetParam();
  Registry registry(memoryOnly());
  if (registry.machine().isa.name != isa)
    GTEST_SKIP() << "this processor has no " << isa << "; it has "
                 << registry.machine().isa.name;
  bool tiles = llvm::StringRef(isa) == "amx";
  EXPECT_EQ(registry.machine().isa.amx, tiles);
  if (family == Family::Amx && !tiles)
    GTEST_SKIP() << "kernels on tile registers need amx";
  if (family == Family::Amx)
    runSample(registry, 12, {"bf16", "u8s8", "s8"}, family);
  else
    runSample(registry, 12, {"f32", "bf16", "f16", "u8s8", "s8", "f64"},
              family);
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, Coverage,
    testing::Combine(testing::Values("baseline", "avx2", "avx512",
                                     "avx512_vnni", "avx512_bf16", "amx"),
                     testing::Values(Family::Tile, Family::Amx, Family::Dot,
                                     Family::Gemv, Family::Tiny)),
    [](const auto &info) {
      return std::string(std::get<0>(info.param)) + "_" +
             toString(std::get<1>(info.param));
    });

TEST(Gemm, EmptySizesAndEmptySums) {
  Registry registry(memoryOnly());
  ThreadPool pool(1);
  auto selector = makeAnalyticSelector(registry);
  for (auto [m, n, k] :
       {std::tuple(0, 5, 3), std::tuple(5, 0, 3), std::tuple(5, 7, 0)}) {
    GemmProblem problem =
        GemmProblem::make({DataType::F32, DataType::F32}, Layout::RCR, m, n, k);
    problem.beta = 1;
    auto gemm = registry.prepare(problem, selector->choose(problem));
    ASSERT_TRUE(bool(gemm)) << llvm::toString(gemm.takeError());
    EXPECT_FALSE(bool(compareWithNaive(problem, **gemm, pool, 1)));
  }
}

TEST(Gemm, MaximumWithZeroKeepsNaNAndMakesZerosPositive) {
  Registry registry(memoryOnly());
  ThreadPool pool(1);
  auto selector = makeAnalyticSelector(registry);
  GemmProblem problem =
      GemmProblem::make({DataType::F32, DataType::F32}, Layout::RCR, 1, 4, 1);
  problem.bias = Bias::PerColumn;
  problem.activation = Activation::Relu;
  float a = 1, b[4] = {std::nanf(""), -0.0f, -2, 3}, c[4],
        bias[4] = {1, -0.0f, 1, 1};
  ASSERT_FALSE(bool(
      gemm(problem, {&a, b, c, bias, nullptr}, registry, *selector, pool)));
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_FALSE(std::signbit(c[1]));
  EXPECT_EQ(c[1], 0);
  EXPECT_EQ(c[2], 0);
  EXPECT_EQ(c[3], 4);
}

TEST(Gemm, RefusalsSayWhy) {
  Registry registry(memoryOnly());
  GemmProblem problem = GemmProblem::make({DataType::F32, DataType::F32},
                                          Layout::RCR, 64, 64, 64);
  GemmConfig config = registry.enumerate(problem.types(), Layout::RCR)[0];
  config.packB = Packing::None;
  auto refusal = registry.supports(problem, config);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_NE(refusal->text.find("row-major"), std::string::npos);
  problem.a = DataType::BF16;
  refusal = registry.supports(problem, config);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_NE(refusal->text.find("convert one operand"), std::string::npos);
}

namespace {
/// Makes compareWithNaive test the whole call, including the selection.
class ThroughGemm final : public PreparedGemm {
public:
  ThroughGemm(const GemmProblem &problem, Registry &registry,
              Selector &selector)
      : problem_(problem), registry_(registry), selector_(selector) {}
  void run(const GemmPointers &pointers, ThreadPool &pool) const override {
    llvm::Error error = gemm(problem_, pointers, registry_, selector_, pool);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }

private:
  GemmProblem problem_;
  Registry &registry_;
  Selector &selector_;
};
} // namespace

TEST(Gemm, AnyStridesOfAnyOperand) {
  Registry registry(memoryOnly());
  ThreadPool pool(2);
  auto selector = makeAnalyticSelector(registry);
  for (const char *types : {"f32", "bf16", "s8"})
    for (int form = 0; form < 8; ++form) {
      GemmProblem problem = GemmProblem::make(*parseTypePair(types),
                                              Layout::RRR, 37, 45, 52, 2, 2);
      auto strides = [](bool odd, int64_t rows, int64_t columns) {
        return odd ? Strides{2, 2 * rows + 3, 3 * rows * columns}
                   : Strides{columns, 1, rows * columns};
      };
      problem.aStrides = strides(form & 1, 37, 52);
      problem.bStrides = strides(form & 2, 52, 45);
      problem.cStrides =
          form & 4 ? Strides{1, 40, 40 * 45} : strides(form == 3, 37, 45);
      problem.bias = form % 3 == 1   ? Bias::PerColumn
                     : form % 3 == 2 ? Bias::PerRow
                                     : Bias::None;
      llvm::Error error = compareWithNaive(
          problem, ThroughGemm(problem, registry, *selector), pool, 5);
      EXPECT_FALSE(bool(error)) << types << " form " << form << ": "
                                << llvm::toString(std::move(error));
    }
}
