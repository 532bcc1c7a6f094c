// Tests each feature of a product and its kernel against the formula that
// Features.def states, computed here from the problem and the configuration
// alone.
#include "assay/kernels/Machine.h"
#include "assay/select/ConvFeatures.h"
#include "assay/select/Features.h"
#include "assay/select/CkConv.h"
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
/// The letters of the formulas in Features.def.
struct Letters {
  double m, n, k, batch, threads, mr, nr, kr, mc, nc, kc, s, v, registers, l1,
      l2, l3;
  bool aRows, bRows, nkm;
};
} // namespace

using Figures = std::map<std::string, double>;

static Figures ofTheProblem(const Letters &x) {
  double a = x.m * x.k, b = x.k * x.n, c = x.m * x.n,
         work = x.m * x.n * x.k * x.batch,
         bytes = ((a + b) * x.s + 4 * c) * x.batch,
         ideal = work / (2 * x.v * x.threads),
         rowA = (x.aRows ? x.k : x.m) * x.s, rowB = (x.bRows ? x.n : x.k) * x.s;
  return {{"M", x.m},
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
          {"n_mod_vector", std::fmod(x.n, x.v)}};
}

static double stepOf(const Letters &x) {
  double vectors = up(x.nr, x.v);
  return std::max({x.mr * vectors / 2, (x.mr + vectors) / 2, 4.0});
}

static Figures ofTheTile(const Letters &x) {
  double vectors = up(x.nr, x.v);
  return {{"tile_m", x.mr},
          {"tile_n", x.nr},
          {"tile_mn", x.mr * x.nr},
          {"block_m", x.mc},
          {"block_n", x.nc},
          {"block_k", x.kc},
          {"scheduler", !x.nkm},
          {"register_use", (x.mr * vectors + vectors + 1) / x.registers},
          {"products_per_load", x.mr * x.nr / (x.mr + x.nr)},
          {"step_cycles", stepOf(x)},
          {"step_efficiency", x.mr * x.nr / (2 * x.v) / stepOf(x)},
          {"block_a_in_l2", x.mc * x.kc * x.s / x.l2},
          {"block_b_in_l2", x.kc * x.nc * x.s / x.l2},
          {"sliver_b_in_l1", x.kc * x.nr * x.s / x.l1},
          {"tile_k", x.kr}};
}

static Figures ofTilesInTheProblem(const Letters &x) {
  double tilesM = up(x.m, x.mr), tilesN = up(x.n, x.nr),
         busyRows = up(tilesM * x.batch, x.threads) * tilesN,
         busyColumns = tilesM * x.batch * up(tilesN, x.threads),
         ideal = x.m * x.n * x.k * x.batch / (2 * x.v * x.threads);
  auto balance = [&](double busyTiles) {
    return x.m * x.n * x.batch / (x.threads * busyTiles * x.mr * x.nr);
  };
  return {
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
      {"balance_rows", balance(busyRows)},
      {"balance_columns", balance(busyColumns)},
      {"compute_share",
       ideal / (std::min(busyRows, busyColumns) * x.k * stepOf(x))}};
}

static Figures ofBlocksInTheProblem(const Letters &x) {
  double M = std::min(x.mc, x.m), N = std::min(x.nc, x.n),
         K = std::min(x.kc, x.k), blockA = M * K * x.s, blockB = K * N * x.s,
         rowA = (x.aRows ? x.k : x.m) * x.s, rowB = (x.bRows ? x.n : x.k) * x.s;
  auto pages = [](double count, double stride) {
    return stride >= 4096 ? count : up(count * stride, 4096);
  };
  return {{"blocks_m", up(x.m, M)},
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
          {"tlb_a", pages(x.aRows ? x.mr : K, rowA)},
          {"tlb_b", pages(x.bRows ? K : x.nr, rowB)}};
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
        Figures found;
        for (size_t i = 0; i < row.size(); ++i)
          found[names[i]] = row[i];
        Letters x{double(m), double(n), double(k), double(batch),
                  double(threads), double(c.mr), double(c.nr), double(c.kr),
                  double(c.mc), double(c.nc), double(c.kc), 4, 8, 16, 48 << 10,
                  1 << 20, 24 << 20, aIsRowMajor(layout), bIsRowMajor(layout),
                  c.order == LoopOrder::NKM};
        for (const Figures &figures :
             {ofTheProblem(x), ofTheTile(x), ofTilesInTheProblem(x),
              ofBlocksInTheProblem(x)})
          for (const auto &[name, due] : figures) {
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

namespace {
/// The row of a convolution and a kernel, by name.
struct ConvRow {
  ConvRow(const char *text, ConvDirection direction, const char *config)
      : problem(llvm::cantFail(parseConvProblem(text, direction))),
        names(featureNames(convFeatures())),
        row(ConvFeatures(someMachine())
                .row(problem, llvm::cantFail(parseConvConfig(config)))) {}
  double operator[](llvm::StringRef name) const {
    auto found = llvm::find(names, name);
    EXPECT_TRUE(found != names.end()) << name.str();
    return row[static_cast<size_t>(found - names.begin())];
  }
  ConvProblem problem;
  std::vector<std::string> names;
  std::vector<float> row;
};
} // namespace

static void expectNear(double got, double due, const std::string &what) {
  EXPECT_NEAR(got, due, 1e-5 * std::fabs(due) + 1e-6) << what;
}

namespace {
/// The product that a direction computes, the positions of a row of the result,
/// the phases and the bytes of a pixel.
struct Product {
  ConvDirection direction;
  double m, n, k, line, phases, pixel;
};
} // namespace

/// 3 images of 37 x 19 with 40 channels, 64 channels of 18 x 9 in 2 groups; a
/// filter of 5 x 3, strides of 2, one row of padding; 162 positions, 15 taps.
static const char *const kConvolution =
    "g2mb3ic40_ih37oh18kh5sh2ph1_iw19ow9kw3sw2pw0oc64";

static Figures ofTheConvolution(const Product &product) {
  return {
      {"N", 3}, {"C", 40}, {"K", 64}, {"G", 2}, {"Di", 1}, {"Hi", 37},
      {"Wi", 19}, {"Z", 1}, {"Y", 5}, {"X", 3}, {"stride_d", 1},
      {"stride_h", 2}, {"stride_w", 2}, {"pad_h", 1}, {"pad_w", 0},
      {"dilation_h", 1}, {"dilation_w", 1}, {"Do", 1}, {"Ho", 18}, {"Wo", 9},
      {"log2_spatial", std::log2(37. * 19)}, {"log2_filter", std::log2(15.)},
      {"log2_output", std::log2(162.)}, {"filter_area", 15},
      {"arithmetic_intensity",
       2. * 3 * 64 * 162 * 20 * 15 /
           ((3. * 40 * 703 + 64. * 20 * 15 + 3. * 64 * 162) * 4)},
      {"is_1x1_conv", 0}, {"is_3x3_conv", 0}, {"is_3d", 0},
      {"channels_per_group", 20}, {"output_channels_per_group", 32},
      {"aspect_ratio_hw", 37. / 19}, {"aspect_ratio_filter", 5. / 3},
      {"is_depthwise", 0}, {"group_density", 2. / 40}, {"is_small_group", 0},
      {"channels_product_per_group", 640}, {"batch_group_product", 6},
      {"gemm_m", product.m}, {"gemm_n", product.n}, {"gemm_k", product.k},
      {"log2_gemm_m", std::log2(product.m)},
      {"log2_gemm_n", std::log2(product.n)},
      {"log2_gemm_k", std::log2(product.k)}, {"threads", 1}, {"lanes", 8},
      {"registers", 16}, {"line", product.line}, {"pointwise", 0},
      {"phases", product.phases}, {"image_in_l2", 40. * 703 * 4 / (1 << 20)},
      {"image_in_l3", 3. * 40 * 703 * 4 / (24 << 20)},
      {"filter_in_l1", 64. * 20 * 15 * 4 / (48 << 10)},
      {"filter_in_l2", 64. * 20 * 15 * 4 / (1 << 20)},
      {"result_in_l2", 64. * 162 * 4 / (1 << 20)},
      {"pixel_aliases", 0}, {"n_mod_vector", std::fmod(product.n, 8)},
      {"block_vectors", 2}, {"block_positions", 3},
      {"work_in_l2", 64. * 1024 / (1 << 20)},
      {"filter_chunk_in_l1", 8. * 1024 / (48 << 10)},
      {"gathered_columns", 0}, {"together", 2}};
}

/// Checks the features of that convolution and a kernel, given the row's
/// register block.
static void expectBothSides(const ConvRow &x, const Product &product) {
  double v = x["effective_vectors"], rows = x["effective_positions"],
         blocks = std::ceil(product.line / rows),
         panels = up(product.n, 8 * v),
         run = product.direction == ConvDirection::BackwardData ? 32 : 20;
  EXPECT_EQ(v, 2);
  EXPECT_TRUE(rows >= 1 && rows <= 3) << rows;
  const std::pair<const char *, double> mixed[] = {
      {"sums", rows * v}, {"products_per_load", rows * v / (rows + v)},
      {"num_blocks_line", blocks}, {"num_panels", panels},
      {"use_line", product.line / (rows * blocks)},
      {"use_columns", product.n / (8 * v * panels)},
      {"block_efficiency",
       product.line / (rows * blocks) * product.n / (8 * v * panels)},
      {"run", run}, {"runs", 15},
      {"panel_in_l1", run * 15 * 8 * v * 4 / (48 << 10)},
      {"chunks", up(run * 15 * 8 * v * 4, 8 << 10)},
      {"work_share", 64. * 1024 / (40. * 703 * 4)},
      {"work_all_in_l2", 40. * 703 * 4 / (1 << 20)},
      {"column_blocks", up(15 * run, 1152)},
      {"line_cycles",
       std::log2((std::max(rows * v, 8.) + (rows + v) / 4) * blocks * panels *
                 product.k)}};
  for (auto [name, value] : mixed)
    expectNear(x[name], value, name);
}

TEST(Features, OfConvolutionsAreWhatTheirFormulasSay) {
  using Direction = ConvDirection;
  const Product products[] = {
      {Direction::Forward, 3 * 162, 32, 15 * 20, 9, 1, 40 * 4},
      {Direction::BackwardData, 3 * 37 * 19, 20, 15 * 32, 10, 4, 64 * 4},
      {Direction::BackwardWeights, 15 * 20, 32, 3 * 162, 9, 1, 40 * 4}};
  for (const Product &product : products) {
    ConvRow x(kConvolution, product.direction, "windows_v2p3_w64_f8_t2");
    for (const auto &[name, due] : ofTheConvolution(product))
      expectNear(x[name], due, name);
    expectBothSides(x, product);
  }
  ConvRow wide("mb1ic256ih8oc256oh8kh3ph1", Direction::Forward,
               "windows_v2p3_w64_f8_t1");
  EXPECT_EQ(wide["pixel_aliases"], 1);
  EXPECT_EQ(wide["is_3x3_conv"], 1);
  EXPECT_EQ(wide["run"], 3 * 256);
  EXPECT_EQ(wide["runs"], 3);
  ConvRow deep("mb1ic3id4ih8iw8oc3od4oh8ow8kd1kh1kw1g3", Direction::Forward,
               "windows_v1p3_w64_f8_t2");
  EXPECT_EQ(deep["is_3d"], 1);
  EXPECT_EQ(deep["is_depthwise"], 1);
  EXPECT_EQ(deep["is_1x1_conv"], 1);
  EXPECT_EQ(deep["is_small_group"], 1);
  EXPECT_EQ(deep["pointwise"], 1);
}

// Whether the engine's own rule handles both together: few channels, a row
// without gaps.
TEST(Features, RowsOfAWindowAreOneTapWhereChannelsAreFew) {
  auto run = [](const char *text, ConvDirection direction) {
    return ConvRow(text, direction, "windows_v2p3_w64_f8_t0")["run"];
  };
  using Direction = ConvDirection;
  EXPECT_EQ(run("mb1ic31ih8oc64oh8kh3ph1", Direction::Forward), 93);
  EXPECT_EQ(run("mb1ic32ih8oc64oh8kh3ph1", Direction::Forward), 32);
  EXPECT_EQ(run("mb1ic16ih8oc64oh8kh1", Direction::Forward), 16);
  EXPECT_EQ(run("mb1ic16ih12oc64oh8kh3dh1", Direction::Forward), 16);
  EXPECT_EQ(run("g2mb1ic32ih8oc64oh8kh3ph1", Direction::Forward), 16);
  EXPECT_EQ(run("mb1ic64ih8oc16oh8kh3ph1", Direction::BackwardData), 48);
  EXPECT_EQ(run("mb1ic64ih9oc16oh4kh3sh2", Direction::BackwardData), 16);
}

// CK Tile's problems: the name holds every size.
TEST(CkConv, ItsKeyHoldsEverySize) {
  CkConv conv;
  EXPECT_EQ(conv.key(), "N1_C64_K64_G1_1x32x32_f1x1x1_s1x1x1_p0x0x0_d1x1x1");
  conv.n = 2, conv.c = 65, conv.k = 128, conv.g = 3;
  int next = 4;
  for (double *of :
       {conv.in, conv.filter, conv.stride, conv.pad, conv.dilation})
    for (int side = 0; side < 3; ++side)
      of[side] = next++;
  EXPECT_EQ(conv.key(),
            "N2_C65_K128_G3_4x5x6_f7x8x9_s10x11x12_p13x14x15_d16x17x18");
}

TEST(CkConv, WordsLeaveOutWhatFollows) {
  auto key = [](const char *text) {
    return llvm::cantFail(select::parseConvProblem(text)).key();
  };
  EXPECT_EQ(key("mb2ic64ih56oc128oh56kh3ph1"),
            "N2_C64_K128_G1_1x56x56_f1x3x3_s1x1x1_p0x1x1_d1x1x1");
  EXPECT_EQ(key("mb2ic64ih56iw28oc128kh3kw1ph1pw0sh2sw1dh1dw0"),
            "N2_C64_K128_G1_1x56x28_f1x3x1_s1x2x1_p0x1x0_d1x2x1");
  EXPECT_EQ(key("mb1ic8id9ih10iw11oc8kd3kh1kw5pd1ph0pw2"),
            "N1_C8_K8_G1_9x10x11_f3x1x5_s1x1x1_p1x0x2_d1x1x1");
}

// docs/tune.md: a class leaves out features that kernels of these types do not
// use.
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
