// Puts wrong kernels into the cache of compiled kernels as if they had passed
// their check. The check of the loops around them must find each one, for each
// variant of the loops separately.
#include "assay/kernels/GemmCheck.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/support/TestFolder.h"

#include "llvm/Support/Regex.h"

#include <set>

using namespace assay;
using namespace assay::kernels;

namespace {
struct WrongKernel : TestFolder {
  WrongKernel() { machine.isa.note.clear(); }

  /// Stores kernels for vectors of half the length under the names of those
  /// that the configuration uses: half of the columns are never written.
  void keepWrong(const GemmProblem &problem, const GemmConfig &config) {
    Isa narrow = machine.isa;
    narrow.vectorBytes /= 2;
    auto accept = [](const MicroKey &, MicroFunction,
                     const Isa &) -> llvm::Error {
      return llvm::Error::success();
    };
    Jit jit(narrow, folder, true, accept);
    for (int rows = 1; rows <= config.mr; ++rows)
      llvm::cantFail(jit.get(tileKey(problem, config, machine.isa, rows)));
  }
  Registry::Options options() const {
    Registry::Options options;
    options.machine = machine;
    options.cacheDirectory = folder;
    return options;
  }
  GemmConfig tile(DataType type = DataType::F32) const {
    GemmConfig config;
    config.mr = 3;
    config.nr = 2 * machine.isa.lanes(accumulatorOf(type));
    config.kr = 4;
    config.mc = 96;
    config.nc = 3072;
    config.kc = 192;
    return config;
  }

  Machine machine = Machine::detect();
};
} // namespace

static void expectWrong(Registry &registry, const GemmProblem &problem,
                        const GemmConfig &config) {
  for (int attempt = 0; attempt < 2; ++attempt) { // the second time the verdict
                                                  // is cached
    auto gemm = registry.prepare(problem, config);
    ASSERT_FALSE(bool(gemm)) << toString(problem) << " " << config.name();
    ErrorText text = takeError(gemm.takeError());
    EXPECT_EQ(text.code, ErrorCode::Mismatch) << text.message;
    EXPECT_NE(text.message.find("failed its check on this machine"),
              std::string::npos)
        << text.message;
    EXPECT_TRUE(llvm::Regex("element [0-9]+ of C: got .*, expected ")
                    .match(text.message))
        << text.message;
  }
}

static void expectRight(Registry &registry, const GemmProblem &problem,
                        const GemmConfig &config) {
  auto gemm = registry.prepare(problem, config);
  EXPECT_TRUE(bool(gemm)) << llvm::toString(gemm.takeError());
}

TEST_F(WrongKernel, IsRefused) {
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 40, 70, 50);
  keepWrong(problem, tile());
  Registry registry(options());
  expectWrong(registry, problem, tile());
}

TEST_F(WrongKernel, ForOneLayoutDoesNotAffectOthers) {
  GemmConfig config = tile();
  config.packA = Packing::None;
  GemmProblem rows = GemmProblem::make({}, Layout::RRR, 40, 70, 50),
              columns = GemmProblem::make({}, Layout::CRR, 40, 70, 50);
  keepWrong(columns, config);
  Registry registry(options());
  expectRight(registry, rows, config);
  expectWrong(registry, columns, config);
}

TEST_F(WrongKernel, ForOnePackingDoesNotAffectOthers) {
  GemmConfig plain = tile();
  plain.packA = Packing::None;
  GemmProblem problem = GemmProblem::make({}, Layout::RRR, 40, 70, 50);
  keepWrong(problem, plain);
  Registry registry(options());
  expectRight(registry, problem, tile());
  expectWrong(registry, problem, plain);
}

TEST_F(WrongKernel, ForOneTypeDoesNotAffectOthers) {
  GemmProblem single = GemmProblem::make({}, Layout::RRR, 40, 70, 50),
              twice = GemmProblem::make({DataType::F64, DataType::F64},
                                        Layout::RRR, 40, 70, 50);
  keepWrong(twice, tile(DataType::F64));
  Registry registry(options());
  expectRight(registry, single, tile());
  expectWrong(registry, twice, tile(DataType::F64));
}

namespace {
/// Computes the correct product, then changes one element.
class OneWrongElement final : public PreparedGemm {
public:
  OneWrongElement(std::shared_ptr<const PreparedGemm> right, int64_t element)
      : right_(std::move(right)), element_(element) {}
  void run(const GemmPointers &pointers, ThreadPool &pool) const override {
    right_->run(pointers, pool);
    static_cast<float *>(pointers.c)[element_] += 1;
  }

private:
  std::shared_ptr<const PreparedGemm> right_;
  int64_t element_;
};
} // namespace

TEST(CheckedSizes, CoverEachDimension) {
  GemmConfig config;
  config.mr = 14, config.nr = 32, config.kr = 4;
  std::set<int64_t> seen[3];
  std::set<std::pair<int64_t, int64_t>> pairs[3];
  for (const std::array<int64_t, 3> &sizes : checkedSizes(config))
    for (size_t d = 0; d < 3; ++d) {
      seen[d].insert(sizes[d]);
      pairs[d].insert({sizes[d], sizes[(d + 1) % 3]});
    }
  EXPECT_EQ(seen[0], (std::set<int64_t>{1, 13, 14, 15, 27, 29}));
  EXPECT_EQ(seen[1], (std::set<int64_t>{1, 31, 32, 33, 63, 65}));
  EXPECT_EQ(seen[2], (std::set<int64_t>{1, 7, 8, 9, 15, 17}));
  for (const auto &of : pairs)
    EXPECT_EQ(of.size(), 18u);
}

// The processor is described by hand. Blocks of tile registers have no steps to
// unroll, and read operands in their types in memory.
TEST(TileKeys, DescribeTileRegisters) {
  Isa isa = Machine::detect().isa;
  isa.amx = true;
  isa.vectorBytes = 64;
  GemmConfig config = llvm::cantFail(
      parseConfig("amx_32x32x32_32x64x64_pp_nkm_plain_sk1_t0x0_exact_fused"));
  MicroKey key = tileKey(GemmProblem::make({DataType::BF16, DataType::BF16},
                                           Layout::RRR, 64, 64, 64),
                         config, isa, 32);
  EXPECT_EQ(key.math, MicroMath::AmxBf16);
  EXPECT_EQ(key.rows, 32);
  EXPECT_EQ(key.columns, 2);
  EXPECT_EQ(key.unroll, 1);
  EXPECT_EQ(key.aType, DataType::BF16);
  EXPECT_EQ(key.bType, DataType::BF16);
}

TEST(CompareWithNaive, SeesEachElementAndTheGapsBetweenRows) {
  Registry::Options options;
  options.diskCache = false;
  Registry registry(options);
  ThreadPool pool(1);
  GemmProblem problem = GemmProblem::make({}, Layout::RRR, 3, 4, 5, 2);
  problem.cStrides = {6, 1, 20};
  GemmConfig config = registry.enumerate({}, Layout::RRR)[0];
  auto right = llvm::cantFail(registry.prepare(problem, config));
  EXPECT_FALSE(bool(compareWithNaive(problem, *right, pool, 3)));
  int64_t elements = 2 * 6 + 3 + 20 + 1;
  for (int64_t element = 0; element < elements; ++element) {
    llvm::Error error =
        compareWithNaive(problem, OneWrongElement(right, element), pool, 3);
    ASSERT_TRUE(bool(error)) << element;
    ErrorText text = takeError(std::move(error));
    EXPECT_EQ(text.code, ErrorCode::Mismatch);
    EXPECT_NE(text.message.find("element " + std::to_string(element) + " of C"),
              std::string::npos)
        << text.message;
  }
}
