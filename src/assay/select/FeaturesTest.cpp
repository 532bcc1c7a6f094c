// Each feature of a product and its kernel by the formula that Features.def
// gives for it, worked out here from the problem and the configuration alone.
#include "assay/kernels/Machine.h"
#include "assay/select/Features.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace assay;
using namespace assay::kernels;
using namespace assay::select;

static double up(double a, double b) { return std::ceil(a / b); }
static double log2AtLeast1(double x) { return std::log2(std::max(x, 1.0)); }
static double lastFill(double extent, double tile) {
  double rest = std::fmod(extent, tile);
  return rest == 0 ? 1 : rest / tile;
}

namespace {
/// The letters of Features.def.
struct Letters {
  double m, n, k, batch, threads, mr, nr, kr, mc, nc, kc, s, v, registers, l1,
      l2, l3;
  bool aRows, bRows, nkm;
};
} // namespace

/// What a problem and a tile come to without the analytic model.
static std::map<std::string, double> plainFeatures(const Letters &x) {
  double M = std::min(x.mc, x.m), N = std::min(x.nc, x.n),
         K = std::min(x.kc, x.k), vectors = up(x.nr, x.v),
         step = std::max({x.mr * vectors / 2, (x.mr + vectors) / 2, 4.0}),
         a = x.m * x.k, b = x.k * x.n, c = x.m * x.n,
         work = x.m * x.n * x.k * x.batch,
         bytes = ((a + b) * x.s + 4 * c) * x.batch,
         ideal = work / (2 * x.v * x.threads),
         rowA = (x.aRows ? x.k : x.m) * x.s, rowB = (x.bRows ? x.n : x.k) * x.s,
         tilesM = up(x.m, x.mr), tilesN = up(x.n, x.nr),
         blockA = M * K * x.s, blockB = K * N * x.s;
  auto pages = [](double count, double stride) {
    return stride >= 4096 ? count : up(count * stride, 4096);
  };
  auto balance = [&](double busyTiles) {
    return x.m * x.n * x.batch / (x.threads * busyTiles * x.mr * x.nr);
  };
  double busyRows = up(tilesM * x.batch, x.threads) * tilesN,
         busyColumns = tilesM * x.batch * up(tilesN, x.threads);
  return {
      {"M", x.m},
      {"N", x.n},
      {"K", x.k},
      {"log2_M", log2AtLeast1(x.m)},
      {"log2_N", log2AtLeast1(x.n)},
      {"log2_K", log2AtLeast1(x.k)},
      {"log2_MNK", log2AtLeast1(x.m * x.n * x.k)},
      {"arithmetic_intensity", 2 * x.m * x.n * x.k / ((a + b + c) * x.s)},
      {"aspect_ratio_mn", x.m / x.n},
      {"aspect_ratio_mk", x.m / x.k},
      {"aspect_ratio_nk", x.n / x.k},
      {"batch", x.batch},
      {"threads", x.threads},
      {"log2_work_per_thread", log2AtLeast1(work / x.threads)},
      {"a_in_l2", a * x.s / x.l2},
      {"b_in_l2", b * x.s / x.l2},
      {"c_in_l2", c * 4 / x.l2},
      {"all_in_l3", bytes / x.l3},
      {"bandwidth_share", bytes / 6 / ideal},
      {"log_roofline",
       std::log(1 + 2000 * work /
                        (200 + (x.threads > 1 ? 6000 : 0) +
                         std::max(ideal, bytes / 6)))},
      {"row_pages_a", rowA / 4096},
      {"row_pages_b", rowB / 4096},
      {"alias_a", std::fmod(rowA, 4096) == 0},
      {"alias_b", std::fmod(rowB, 4096) == 0},
      {"k_mod_vector", std::fmod(x.k, x.v)},
      {"n_mod_vector", std::fmod(x.n, x.v)},
      {"tile_m", x.mr},
      {"tile_n", x.nr},
      {"tile_mn", x.mr * x.nr},
      {"block_m", x.mc},
      {"block_n", x.nc},
      {"block_k", x.kc},
      {"scheduler", !x.nkm},
      {"register_use", (x.mr * vectors + vectors + 1) / x.registers},
      {"products_per_load", x.mr * x.nr / (x.mr + x.nr)},
      {"step_cycles", step},
      {"step_efficiency", x.mr * x.nr / (2 * x.v) / step},
      {"block_a_in_l2", x.mc * x.kc * x.s / x.l2},
      {"block_b_in_l2", x.kc * x.nc * x.s / x.l2},
      {"sliver_b_in_l1", x.kc * x.nr * x.s / x.l1},
      {"tile_k", x.kr},
      {"num_tiles_m", tilesM},
      {"num_tiles_n", tilesN},
      {"total_output_tiles", tilesM * tilesN},
      {"tile_eff_m", lastFill(x.m, x.mr)},
      {"tile_eff_n", lastFill(x.n, x.nr)},
      {"overall_tile_efficiency", lastFill(x.m, x.mr) * lastFill(x.n, x.nr)},
      {"ratio_M_to_tile_m", x.m / x.mr},
      {"ratio_N_to_tile_n", x.n / x.nr},
      {"any_dim_too_small", x.m < x.mr || x.n < x.nr},
      {"use_m", x.m / (x.mr * tilesM)},
      {"use_n", x.n / (x.nr * tilesN)},
      {"blocks_m", up(x.m, M)},
      {"blocks_n", up(x.n, N)},
      {"blocks_k", up(x.k, K)},
      {"last_block_k", lastFill(x.k, K)},
      {"a_block_l2", blockA / x.l2},
      {"b_block_l2", blockB / x.l2},
      {"inner_l2", (x.nkm ? blockA : blockB) / x.l2},
      {"outer_l2", (x.nkm ? blockB : blockA) / x.l2},
      {"outer_l3", (x.nkm ? blockB : blockA) / x.l3},
      {"slivers_l1", (x.mr + x.nr) * K * x.s / x.l1},
      {"reuse_inner", x.nkm ? N / x.nr : M / x.mr},
      {"pack_cost_a", (x.nkm ? up(x.n, N) : 1) / x.n},
      {"pack_cost_b", (x.nkm ? 1 : up(x.m, M)) / x.m},
      {"c_traffic", 8 * up(x.k, K) / x.k},
      {"balance_rows", balance(busyRows)},
      {"balance_columns", balance(busyColumns)},
      {"tlb_a", pages(x.aRows ? x.mr : K, rowA)},
      {"tlb_b", pages(x.bRows ? K : x.nr, rowB)},
      {"compute_share",
       ideal / (std::min(busyRows, busyColumns) * x.k * step)}};
}

static Machine someMachine() {
  Machine machine = Machine::detect();
  machine.isa.vectorBytes = 32;
  machine.isa.vectorRegisters = 16;
  machine.caches = {48 << 10, 1 << 20, 24 << 20};
  return machine;
}

TEST(Features, AreWhatTheirFormulasSay) {
  Machine machine = someMachine();
  std::vector<std::string> names = featureNames(gemmFeatures());
  for (const char *config :
       {"tile_6x16x4_72x2048x256_pp_nkm_pf3_sk2_t2x0_exact_fused",
        "tile_4x24x8_96x240x100_np_mkn_plain_sk1_t0x3_padded_apart"})
    for (Layout layout :
         {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR})
      for (auto [m, n, k, batch, threads] :
           {std::tuple(100, 70, 1024, 1, 1), {3, 5000, 33, 4, 3},
            {2048, 31, 700, 2, 8}}) {
        GemmConfig c = llvm::cantFail(parseConfig(config));
        GemmProblem problem =
            GemmProblem::make({}, layout, m, n, k, batch, threads);
        std::vector<float> row =
            GemmFeatures({}, layout, machine).row(problem, c);
        ASSERT_EQ(row.size(), names.size());
        std::map<std::string, double> found;
        for (size_t i = 0; i < row.size(); ++i)
          found[names[i]] = row[i];
        Letters x{double(m), double(n), double(k), double(batch),
                  double(threads), double(c.mr), double(c.nr), double(c.kr),
                  double(c.mc), double(c.nc), double(c.kc), 4, 8, 16, 48 << 10,
                  1 << 20, 24 << 20, aIsRowMajor(layout), bIsRowMajor(layout),
                  c.order == LoopOrder::NKM};
        for (const auto &[name, due] : plainFeatures(x)) {
          ASSERT_TRUE(found.count(name)) << name;
          EXPECT_NEAR(found[name], due, 1e-5 * std::fabs(due) + 1e-6)
              << name << " of " << toString(problem) << " " << config;
        }
        EXPECT_EQ(found["layout"], static_cast<int>(layout));
        EXPECT_EQ(found["pack_a"], c.packA == Packing::Pack);
        EXPECT_EQ(found["pack_b"], c.packB == Packing::Pack);
        EXPECT_EQ(found["prefetch"], c.prefetch);
        EXPECT_EQ(found["split_k"], c.splitK);
        EXPECT_EQ(found["grid_m"], c.gridM);
        EXPECT_EQ(found["grid_n"], c.gridN);
        EXPECT_EQ(found["pad"], c.edge == Edge::Padded);
        EXPECT_EQ(found["epilogue"], c.epilogue == EpilogueMode::Separate);
        EXPECT_GE(found["analytic_packed"], found["analytic_bare"]);
      }
}

// docs/tune.md: what kernels of these types do not use is not in their class.
TEST(Features, AClassIsThatOfTheInstructionsInUse) {
  const std::tuple<const char *, const char *, const char *> cases[] = {
      {"amx l1=1K", "f32", "avx512 l1=1K"},
      {"amx l1=1K", "bf16", "amx l1=1K"},
      {"amx l1=1K", "u8s8", "amx l1=1K"},
      {"avx512_bf16 l1=1K", "f32", "avx512 l1=1K"},
      {"avx512_bf16 l1=1K", "bf16", "avx512_bf16 l1=1K"},
      {"avx512_bf16 l1=1K", "s8", "avx512_vnni l1=1K"},
      {"avx512_vnni l1=1K", "f16", "avx512 l1=1K"},
      {"avx512_vnni l1=1K", "bf16", "avx512 l1=1K"},
      {"avx512_vnni l1=1K", "u8", "avx512_vnni l1=1K"},
      {"avx2 l1=1K", "f32", "avx2 l1=1K"},
      {"odd", "f32", "odd"}};
  for (auto [machine, types, due] : cases)
    EXPECT_EQ(classFor(machine, *parseTypePair(types)), due)
        << machine << " " << types;
}
