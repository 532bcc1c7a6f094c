// Why a kernel does not support a problem: every reason of every family, on
// machines described by hand, so that the test needs none of them.
#include "assay/kernels/Registry.h"

#include "assay/kernels/Depthwise.h"
#include "assay/kernels/PackedProduct.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/WindowProduct.h"
#include "assay/support/TestFolder.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace assay;
using namespace assay::kernels;

static Registry::Options machineWith(int vectorBytes, bool tiles) {
  Registry::Options options;
  options.diskCache = false;
  options.machine = {};
  options.machine.isa.name = "a test's";
  options.machine.isa.vectorBytes = vectorBytes;
  options.machine.isa.vectorRegisters = 16;
  options.machine.isa.fma = true;
  options.machine.isa.amx = tiles;
  return options;
}

namespace {
struct Case {
  const char *config, *why;
  GemmProblem problem;
};
} // namespace

static void expectReasons(llvm::ArrayRef<Case> cases,
                          const Registry &registry) {
  for (const Case &one : cases) {
    GemmConfig config = llvm::cantFail(parseConfig(one.config));
    std::optional<Refusal> refusal = registry.supports(one.problem, config);
    ASSERT_TRUE(refusal.has_value()) << one.config << ": " << one.why;
    EXPECT_EQ(refusal->text, one.why) << one.config;
    EXPECT_EQ(refusal->code, ErrorCode::Unsupported) << one.config;
  }
}

static GemmProblem make(const char *types, Layout layout, int64_t m, int64_t n,
                        int64_t k, int threads = 1) {
  return GemmProblem::make(*parseTypePair(types), layout, m, n, k, 1, threads);
}

TEST(KernelRefusals, OfTheRegisterTile) {
  Registry registry(machineWith(32, false)); // 8 lanes of f32, 16 registers
  GemmProblem f32 = make("f32", Layout::RRR, 64, 64, 64);
  GemmProblem wide = make("f32", Layout::RRR, 1 << 16, 1 << 16, 64);
  expectReasons(
      {{"tile_4x12x4_8x64x64_pp_nkm_plain_sk1_t0x0_exact_fused",
        "a 4x12x4 tile does not consist of vectors of 8 sums and groups of 1 "
        "along k",
        f32},
       {"tile_12x24x4_24x48x64_pp_nkm_plain_sk1_t0x0_exact_fused",
        "a 12x24 tile needs 36 vector registers, a test's has 16", f32},
       {"tile_4x16x4_0x64x64_pp_nkm_plain_sk1_t0x0_exact_fused",
        "the cache blocks of a tile kernel are at least 1", f32},
       {"tile_4x16x4_8x64x64_np_nkm_plain_sk1_t0x0_padded_fused",
        "padded edges need both operands packed", f32},
       {"tile_4x16x4_8x64x64_np_nkm_plain_sk1_t0x0_exact_fused",
        "elements of A are converted while packing, so A must be packed",
        make("f16", Layout::RRR, 64, 64, 64)},
       {"tile_4x16x4_8x64x64_pn_nkm_plain_sk1_t0x0_exact_fused",
        "unpacked B needs a row-major B whose elements need no conversion",
        make("f32", Layout::RCR, 64, 64, 64)},
       {"tile_4x16x4_8x64x64_pp_nkm_plain_sk1_t2x2_exact_fused",
        "a grid of 2x2 threads is more than the problem's 3",
        make("f32", Layout::RRR, 64, 64, 64, 3)},
       {"tile_4x16x4_8x64x64_pp_nkm_plain_sk1_t1x1_exact_fused",
        "a thread grid needs more than one thread", f32},
       {"tile_4x16x4_8x64x64_pp_nkm_plain_sk3_t0x0_exact_fused",
        "k = 47 is too short for 3 parts",
        make("f32", Layout::RRR, 64, 64, 47)},
       {"tile_4x16x4_8x64x64_pp_nkm_plain_sk2_t0x0_exact_fused",
        "the sums of the split-K parts would not fit in a sensible buffer",
        wide}},
      registry);
  f32.aStrides.column = 100;
  f32.aStrides.row = 3;
  expectReasons({{"tile_4x16x4_8x64x64_np_nkm_plain_sk1_t0x0_exact_fused",
                  "unpacked A needs consecutive k adjacent in memory, or (one "
                  "element a step) consecutive rows",
                  f32}},
                registry);
}

TEST(KernelRefusals, OfThreadsWithoutTiles) {
  Registry registry(machineWith(32, true));
  expectReasons({{"tile_4x16x4_8x64x64_pp_nkm_plain_sk1_t0x1_exact_fused",
                  "the side of C that the threads share has fewer tiles than "
                  "there are threads",
                  make("f32", Layout::RRR, 8, 64, 64, 8)},
                 {"amx_16x16x32_16x16x64_pp_nkm_plain_sk1_t0x1_exact_fused",
                  "the side of C that the threads share has fewer tiles than "
                  "there are threads",
                  make("bf16", Layout::RRR, 16, 64, 64, 8)}},
                registry);
}

TEST(KernelRefusals, OfTileRegisters) {
  Registry with(machineWith(64, true)), without(machineWith(64, false));
  GemmProblem bf16 = make("bf16", Layout::RRR, 64, 64, 64);
  const char *plain = "amx_32x32x32_32x64x64_pp_nkm_plain_sk1_t0x0_exact_fused";
  EXPECT_FALSE(
      with.supports(bf16, llvm::cantFail(parseConfig(plain))).has_value());
  const char *absent =
      "tile registers multiply bfloat16 and 8-bit integers, on "
      "processors that have them";
  expectReasons({{plain, absent, bf16}}, without);
  expectReasons(
      {{plain, absent, make("f32", Layout::RRR, 64, 64, 64)},
       {"amx_32x24x32_32x48x64_pp_nkm_plain_sk1_t0x0_exact_fused",
        "32x24x32 is not made of squares of 16 and rows of 64 bytes that fit "
        "eight registers",
        bf16},
       {"amx_32x32x32_32x64x64_pn_nkm_plain_sk1_t0x0_exact_fused",
        "tile registers need a packed B, exact edges and cache blocks", bf16},
       {"amx_32x32x32_32x64x64_np_nkm_plain_sk1_t0x0_exact_fused",
        "unpacked A must be row-major", make("bf16", Layout::CRR, 64, 64, 64)},
       {"amx_32x32x32_32x64x64_np_nkm_plain_sk1_t0x0_exact_fused",
        "unpacked A needs k to be a multiple of 32, k is 63",
        make("bf16", Layout::RRR, 64, 64, 63)},
       {"amx_32x32x32_32x64x64_pp_nkm_plain_sk1_t1x1_exact_fused",
        "the thread grid is larger than the problem's threads", bf16},
       {"amx_32x32x32_32x64x64_pp_nkm_plain_sk2_t0x0_exact_fused",
        "k = 64 is too short for 2 parts", bf16},
       {"amx_32x32x32_32x64x64_pp_nkm_plain_sk2_t0x0_exact_fused",
        "the sums of the split-K parts would not fit in a sensible buffer",
        make("bf16", Layout::RRR, 1 << 16, 1 << 16, 256)}},
      with);
}

TEST(KernelRefusals, OfDotProductsVectorsAndTinyTiles) {
  Registry registry(machineWith(32, false));
  GemmProblem f32 = make("f32", Layout::RRR, 8, 64, 64);
  GemmProblem strided = f32;
  strided.aStrides.column = 100;
  strided.aStrides.row = 3;
  expectReasons(
      {{"dot_9x4x8_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "a 9x4x8 block of dot products does not consist of steps of 8 along k",
        f32},
       {"dot_2x4x8_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "dot products need a column-major B", f32},
       {"dot_2x4x8_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "dot products on an unpacked A need a row-major A",
        make("f32", Layout::CCR, 8, 64, 64)},
       {"dot_2x4x8_0x0x4_nn_nkm_plain_sk1_t0x0_exact_fused",
        "a block of k must be at least one step of the loop over k",
        make("f32", Layout::RCR, 8, 64, 64)},
       {"dot_2x4x8_0x0x0_nn_nkm_plain_sk2_t0x0_exact_fused",
        "dot products split neither k nor by a given grid",
        make("f32", Layout::RCR, 8, 64, 64)},
       {"gemv_1x1x4_0x64x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "gemv computes one row of C from a row-major B, or one column from a "
        "column-major A",
        f32},
       {"gemv_1x1x4_0x32x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "gemv needs stretches of at least 64 sums, kr 4 and no thread grid",
        make("f32", Layout::RRR, 1, 64, 64)},
       {"gemv_1x1x4_0x64x0_nn_nkm_plain_sk2_t0x0_exact_fused",
        "k is too short to be split", make("f32", Layout::RRR, 1, 64, 127)},
       {"tiny_4x8x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "tiny kernels exist for f32 and f64",
        make("bf16", Layout::RRR, 8, 8, 8)},
       {"tiny_4x8x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "the product is too large for a kernel without cache blocks",
        make("f32", Layout::RRR, 257, 256, 256)},
       {"tiny_4x12x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "the tile does not consist of whole vectors that fit the registers",
        f32},
       {"tiny_4x8x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "tiny kernels need a row-major B", make("f32", Layout::RCR, 8, 8, 8)},
       {"tiny_4x8x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
        "tiny kernels need a unit stride in A", strided},
       {"tiny_4x8x4_0x0x0_pn_nkm_plain_sk1_t0x0_exact_fused",
        "tiny kernels neither pack nor split", f32}},
      registry);
  llvm::Error error =
      registry
          .prepare(f32, llvm::cantFail(parseConfig(
                            "gemv_1x1x4_0x64x0_nn_nkm_plain_sk1_t0x0_exact_"
                            "fused")))
          .takeError();
  std::string said = takeError(std::move(error)).message;
  EXPECT_NE(said.find("fused cannot compute "), std::string::npos) << said;
  EXPECT_NE(said.find("8x64x64"), std::string::npos) << said;
}

// Numbers that occur in no kernel's name, but that a caller's configuration may
// have.
TEST(KernelRefusals, OfPartsThatAreNone) {
  Registry registry(machineWith(32, false));
  GemmProblem row = make("f32", Layout::RRR, 1, 64, 128);
  GemmConfig config = llvm::cantFail(
      parseConfig("gemv_1x1x4_0x64x0_nn_nkm_plain_sk1_t0x0_exact_fused"));
  EXPECT_FALSE(registry.supports(row, config).has_value());
  for (int32_t parts : {0, -1}) {
    config.splitK = parts;
    EXPECT_TRUE(registry.supports(row, config).has_value()) << parts;
  }
}

TEST(KernelRefusals, BeginBehindTheirLimits) {
  Registry registry(machineWith(32, true));
  const std::pair<const char *, GemmProblem> cases[] = {
      {"tile_4x16x4_8x64x64_pp_nkm_plain_sk1_t2x2_exact_fused",
       make("f32", Layout::RRR, 64, 64, 64, 4)},
      {"tile_4x16x4_1x1x1_pp_nkm_plain_sk3_t0x0_exact_fused",
       make("f32", Layout::RRR, 64, 64, 48)},
      {"amx_48x16x32_48x64x64_pp_nkm_plain_sk2_t0x0_exact_fused",
       make("bf16", Layout::RRR, 64, 64, 256)},
      {"amx_16x64x32_16x64x64_np_nkm_plain_sk1_t0x0_exact_fused",
       make("bf16", Layout::RRR, 64, 64, 64)},
      {"dot_8x8x64_0x0x64_nn_nkm_plain_sk1_t0x0_exact_fused",
       make("f32", Layout::RCR, 8, 64, 64)},
      {"dot_1x1x8_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
       make("f32", Layout::RRR, 8, 64, 1)},
      {"gemv_1x1x4_0x64x0_nn_nkm_plain_sk2_t0x0_exact_fused",
       make("f32", Layout::RRR, 1, 64, 128)},
      {"tiny_4x8x4_0x0x0_nn_nkm_plain_sk1_t0x0_exact_fused",
       make("f32", Layout::RRR, 256, 256, 256)}};
  for (const auto &[name, problem] : cases) {
    std::optional<Refusal> refusal =
        registry.supports(problem, llvm::cantFail(parseConfig(name)));
    EXPECT_FALSE(refusal.has_value()) << name << ": " << refusal->text;
  }
}

// A kernel that supports no problem does not belong in a list.
TEST(KernelRefusals, OfNoConfigurationAreForAllProblems) {
  for (int vectorBytes : {32, 64}) {
    Registry registry(machineWith(vectorBytes, true));
    for (const char *types : {"f32", "f64", "bf16", "f16", "u8s8"})
      for (Layout layout :
           {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR}) {
        std::vector<GemmProblem> problems;
        for (auto [m, n, k] : {std::tuple(4096, 4096, 4096),
                               {1, 8192, 8192},
                               {8192, 1, 8192},
                               {48, 48, 64}})
          for (int threads : {1, 4, 16})
            problems.push_back(make(types, layout, m, n, k, threads));
        for (const GemmConfig &config :
             registry.enumerate(*parseTypePair(types), layout))
          EXPECT_TRUE(llvm::any_of(problems,
                                   [&](const GemmProblem &problem) {
                                     return !registry.supports(problem, config);
                                   }))
              << types << " " << toString(layout) << " " << config.name();
      }
  }
}

TEST(KernelRefusals, OfProblemsThemselves) {
  auto why = [](GemmProblem problem) {
    std::optional<Refusal> refusal = validate(problem);
    return refusal ? std::string(errorCodeName(refusal->code)) + ": " +
                         refusal->text
                   : "none";
  };
  GemmProblem f32 = make("f32", Layout::RRR, 8, 8, 8);
  EXPECT_EQ(why(f32), "none");
  GemmProblem changed = f32;
  changed.b = DataType::BF16;
  EXPECT_EQ(why(changed), "unsupported: no kernel multiplies f32 by bf16; "
                          "convert one operand first");
  changed = f32;
  changed.acc = DataType::F64;
  EXPECT_EQ(why(changed),
            "unsupported: sums of f32 are made in f32, not in f64");
  changed = f32;
  changed.c = DataType::S8;
  EXPECT_EQ(why(changed), "unsupported: sums in f32 cannot be written as s8");
  changed = f32;
  changed.n = -1;
  EXPECT_EQ(why(changed),
            "invalid argument: negative size of a matrix multiplication");
  changed = f32;
  changed.m = changed.k = int64_t{1} << 30;
  EXPECT_EQ(why(changed), "resource limit: the operands of the matrix "
                          "multiplication are too large to address");
  changed = f32;
  changed.threads = 0;
  EXPECT_EQ(why(changed), "invalid argument: a matrix multiplication needs at "
                          "least one thread");
  Registry registry(machineWith(32, false));
  auto packed = PackedProduct::create(
      GemmProblem::make({}, Layout::RRR, 4, 4, 4, 2), registry);
  ASSERT_FALSE(bool(packed));
  std::string said = takeError(packed.takeError()).message;
  EXPECT_NE(said.find(": no kernel reads a packed B for this problem"),
            std::string::npos)
      << said;
}

namespace {
struct KeptFiles : TestFolder {};
} // namespace

TEST_F(KeptFiles, NamesOfKernelsSayTheField) {
  auto why = [](llvm::StringRef name) {
    auto parsed = parseConfig(name);
    return parsed ? std::string("good") : takeError(parsed.takeError()).message;
  };
  EXPECT_EQ(why("tile_4x16"), "kernel name 'tile_4x16' has 2 fields, expected "
                              "10 (see `assay kernels list`)");
  EXPECT_EQ(why("tile_4x16x4_8x64x64_px_nkm_plain_sk1_t0x0_exact_fused"),
            "kernel name "
            "'tile_4x16x4_8x64x64_px_nkm_plain_sk1_t0x0_exact_fused': field 4 "
            "'px' is not valid");
}

TEST_F(KeptFiles, DamagedSpeedsSayHowToMakeThemAnew) {
  std::ofstream(path("speeds.json")) << "{}";
  auto speeds = loadSpeeds(path("speeds.json"));
  ASSERT_FALSE(bool(speeds));
  EXPECT_EQ(takeError(speeds.takeError()).message,
            "'" + path("speeds.json") +
                "' is damaged; `assay doctor --measure` writes it again");
}

TEST(Refusals, BlocksThatRegistersDoNotHold) {
  Registry registry;
  auto message = [](auto made) {
    return made ? std::string() : llvm::toString(made.takeError());
  };
  WindowProblem window;
  window.columns = 64, window.positions = 40;
  EXPECT_NE(message(WindowProduct::prepare(window, registry.machine(),
                                           registry.jit(), {4, 30, 0}))
                .find("registers hold no block of 30 x 4 vectors"),
            std::string::npos);
  EXPECT_NE(message(Depthwise::prepare({DataType::F32, 8, 40, 1},
                                       registry.jit(), {4, 16}))
                .find("no depthwise kernel has a block of 16 x 4 vectors"),
            std::string::npos);
  GemmProblem product = GemmProblem::make({}, Layout::RRR, 8, 8, 8);
  EXPECT_NE(message(PackedProduct::create(product, registry, 31))
                .find("registers hold no tile of 31 vectors"),
            std::string::npos);
}
