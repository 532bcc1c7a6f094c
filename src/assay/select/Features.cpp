// Evaluates Features.def. The facts of a problem, of a tile and of both
// together are computed once; every row of the table is an expression over
// them. The analytic time is a small model in processor cycles: the
// multiply-adds at the tile's own rate on the busiest thread, the traffic of
// operands and C through the cache level that they exceed, and copies when
// something is packed. Its constants (bytes per cycle and level) are nominal:
// the forest learns the corrections. Source: CK Tile's GEMM features, as its
// code computes them; cache and register terms after Goto and van de Geijn.
#include "assay/select/Features.h"
#include "assay/support/Math.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static constexpr double kBytesPerCycleL2 = 32, kBytesPerCycleL3 = 10,
                        kBytesPerCycleMemory = 5;
static constexpr double kFmaLatency = 4, kCallCycles = 200,
                        kThreadCycles = 6000;

static double max(double a, double b) { return a > b ? a : b; }
static double ratio(double a, double b) { return a / max(b, 1); }
static double mod(double a, double b) { return a - b * std::floor(a / b); }
static double isMultiple(double a, double b) { return mod(a, b) == 0 ? 1 : 0; }
static double lastFill(double extent, double tile) {
  double remainder = mod(extent, max(tile, 1));
  return remainder > 0 ? remainder / tile : 1;
}

double select::log2Of(double x) {
  if (!(x > 1))
    return 0;
  int exponent;
  double fraction = std::frexp(x, &exponent); // in [0.5, 1)
  if (fraction < 0.70710678118654752) {
    fraction *= 2;
    --exponent;
  }
  // log2(f) = 2 / ln 2 * (s + s^3/3 + s^5/5 + ...), s = (f - 1) / (f + 1), |s|
  // < 0.1716
  double s = (fraction - 1) / (fraction + 1), square = s * s, sum = 0;
  for (int n = 25; n >= 1; n -= 2)
    sum = sum * square + 1.0 / n;
  return exponent + 2.8853900817779268 * (s * sum);
}

llvm::ArrayRef<FeatureInfo> select::gemmFeatures() {
  constexpr bool Number = false, Category = true;
  static constexpr FeatureInfo kFeatures[] = {
#define ASSAY_FEATURE(name, axis, kind, formula, expression)                   \
  {#name, Axis::axis, kind, formula},
#include "assay/select/Features.def"
#undef ASSAY_FEATURE
  };
  return kFeatures;
}

std::vector<std::string>
select::featureNames(llvm::ArrayRef<FeatureInfo> features) {
  std::vector<std::string> names;
  for (const FeatureInfo &feature : features)
    names.push_back(feature.name);
  return names;
}

std::string select::schemaHash(llvm::ArrayRef<FeatureInfo> features) {
  std::string text;
  for (const FeatureInfo &feature : features)
    text += std::string(feature.name) + "|" + toString(feature.axis) + "|" +
            (feature.categorical ? "c" : "n") + "|" + feature.formula + "\n";
  return llvm::utohexstr(llvm::xxh3_64bits(text), true, 16);
}

std::string select::machineClass(const Machine &machine) {
  return llvm::formatv("{0} l1={1}K l2={2}K l3={3}K", machine.isa.name,
                       machine.caches.l1 >> 10, machine.caches.l2 >> 10,
                       std::min(machine.caches.l3, kGreatestL3) >> 10)
      .str();
}

std::string select::classFor(llvm::StringRef machineClass, TypePair types) {
  auto [isa, caches] = machineClass.split(' ');
  bool bytes = sizeOf(types.a) == 1 && sizeOf(types.b) == 1;
  bool brain = types.a == DataType::BF16 && types.b == DataType::BF16;
  llvm::StringRef used = isa;
  if (isa == "amx" && !bytes && !brain)
    used = "avx512";
  else if (isa == "avx512_bf16" && !brain)
    used = bytes ? "avx512_vnni" : "avx512";
  else if (isa == "avx512_vnni" && !bytes)
    used = "avx512";
  return caches.empty() ? used.str() : (used + " " + caches).str();
}

GemmFeatures::GemmFeatures(TypePair types, Layout layout,
                           const Machine &machine) {
  base_.size = static_cast<double>(sizeOf(types.a));
  base_.layout = static_cast<double>(layout);
  base_.lanes = machine.isa.lanes(accumulatorOf(types.a));
  base_.registers = machine.isa.vectorRegisters;
  base_.l1 = static_cast<double>(machine.caches.l1);
  base_.l2 = static_cast<double>(machine.caches.l2);
  base_.l3 = static_cast<double>(std::min(machine.caches.l3, kGreatestL3));
  base_.aRowMajor = aIsRowMajor(layout);
  base_.bRowMajor = bIsRowMajor(layout);
}

ProblemFacts GemmFeatures::facts(const GemmProblem &problem) const {
  ProblemFacts p{};
  p.m = static_cast<double>(problem.m);
  p.n = static_cast<double>(problem.n);
  p.k = static_cast<double>(problem.k);
  p.batch = static_cast<double>(problem.batch);
  p.threads = max(problem.threads, 1);
  p.work = p.m * p.n * p.k * p.batch;
  p.bytes = ((p.m * p.k + p.k * p.n) * base_.size + p.m * p.n * 4) * p.batch;
  p.intensity = 2 * p.m * p.n * p.k /
                max((p.m * p.k + p.k * p.n + p.m * p.n) * base_.size, 1);
  p.strideA = (base_.aRowMajor ? p.k : p.m) * base_.size;
  p.strideB = (base_.bRowMajor ? p.n : p.k) * base_.size;
  p.idealCycles = p.work / (2 * base_.lanes * p.threads);
  double cycles = kCallCycles + (p.threads > 1 ? kThreadCycles : 0) +
                  max(p.idealCycles, p.bytes / 6);
  p.logRoofline =
      0.69314718055994531 * log2Of(1 + 1000 * (2 * p.work / cycles));
  return p;
}

TileFacts GemmFeatures::facts(const GemmConfig &config) const {
  TileFacts t{};
  t.family = static_cast<double>(config.family);
  t.mr = max(config.mr, 1);
  t.nr = max(config.nr, 1);
  t.mc = config.mc;
  t.nc = config.nc;
  t.kc = config.kc;
  t.order = static_cast<double>(config.order);
  t.vectors = ceilRatio(t.nr, base_.lanes);
  t.stepCycles =
      max(max(t.mr * t.vectors / 2, (t.mr + t.vectors) / 2), kFmaLatency);
  return t;
}

namespace {
/// The facts of a problem and a tile together: block counts, the busiest
/// thread's share, the analytic time.
struct MixedFacts {
  double mc, nc, kc, tilesM, tilesN, blocksM, blocksN, blocksK, packsA, packsB,
      inner, outer, reuse;
  double balanceRows, balanceColumns, pagesA, pagesB, computeCycles,
      packedCycles, bareCycles;
};
} // namespace

static double streamCycles(const BaseFacts &b, double bytes, double footprint) {
  return bytes / (footprint <= b.l2   ? kBytesPerCycleL2
                  : footprint <= b.l3 ? kBytesPerCycleL3
                                      : kBytesPerCycleMemory);
}

/// The number of pages that `count` accesses touch, `stride` bytes apart.
static double pages(double count, double stride) {
  return stride >= 4096 ? count : ceilRatio(count * stride, 4096);
}

static void cutBlocks(const BaseFacts &b, const ProblemFacts &p,
                      const TileFacts &t, MixedFacts &q) {
  q.mc = t.mc > 0 ? std::min(t.mc, max(p.m, 1)) : max(p.m, 1);
  q.nc = t.nc > 0 ? std::min(t.nc, max(p.n, 1)) : max(p.n, 1);
  q.kc = t.kc > 0 ? std::min(t.kc, max(p.k, 1)) : max(p.k, 1);
  q.tilesM = ceilRatio(p.m, t.mr);
  q.tilesN = ceilRatio(p.n, t.nr);
  q.blocksM = ceilRatio(p.m, q.mc);
  q.blocksN = ceilRatio(p.n, q.nc);
  q.blocksK = ceilRatio(p.k, q.kc);
  bool rowsInside = t.order == 0;
  q.packsA = rowsInside ? q.blocksN : 1;
  q.packsB = rowsInside ? 1 : q.blocksM;
  double blockA = q.mc * q.kc * b.size, blockB = q.kc * q.nc * b.size;
  q.inner = rowsInside ? blockA : blockB;
  q.outer = rowsInside ? blockB : blockA;
  q.reuse = rowsInside ? ratio(q.nc, t.nr) : ratio(q.mc, t.mr);
  q.pagesA = pages(b.aRowMajor ? t.mr : q.kc, p.strideA);
  q.pagesB = pages(b.bRowMajor ? q.kc : t.nr, p.strideB);
}

static MixedFacts mix(const BaseFacts &b, const ProblemFacts &p,
                      const TileFacts &t) {
  MixedFacts q{};
  cutBlocks(b, p, t, q);
  double rows = q.tilesM * p.batch;
  double busyRows =
      ceilRatio(rows, p.threads) * q.tilesN; // tiles of the busiest thread
  double busyColumns = rows * ceilRatio(q.tilesN, p.threads);
  q.balanceRows =
      ratio(p.m * p.n * p.batch, p.threads * busyRows * t.mr * t.nr);
  q.balanceColumns =
      ratio(p.m * p.n * p.batch, p.threads * busyColumns * t.mr * t.nr);
  double busy = std::min(busyRows, busyColumns);
  q.computeCycles = busy * p.k * t.stepCycles;
  double share = ratio(
      busy, rows * q.tilesN); // of the whole product, on the busiest thread
  double a = p.m * p.k * p.batch * b.size, bb = p.k * p.n * p.batch * b.size,
         c = p.m * p.n * p.batch * 4;
  double traffic = streamCycles(b, a * q.blocksN, a) +
                   streamCycles(b, bb * q.blocksM, bb) +
                   streamCycles(b, 2 * c * q.blocksK, c);
  double copies = 2 * streamCycles(b, a * q.packsA, a) +
                  2 * streamCycles(b, bb * q.packsB, bb);
  q.bareCycles = kCallCycles + (p.threads > 1 ? kThreadCycles : 0) +
                 max(q.computeCycles, share * traffic);
  q.packedCycles = q.bareCycles + share * copies;
  return q;
}

namespace {
/// The values of a configuration's trait.
struct TraitFacts {
  double kr, packA, packB, pipeline, prefetch, splitK, gridM, gridN, padded,
      epilogue;
};
} // namespace

/// Writes the entries of one axis into out[feature]. Does not read facts that
/// the axis does not depend on.
template <Axis kAxis>
static void axisInto(const BaseFacts &b, const ProblemFacts &p,
                     const TileFacts &t, const MixedFacts &q,
                     const TraitFacts &x, float *out) {
  (void)b, (void)p, (void)t, (void)q, (void)x;
  int at = 0;
#define ASSAY_FEATURE(name, axis, kind, formula, expression)                   \
  if constexpr (kAxis == Axis::axis)                                           \
    out[at] = static_cast<float>(expression);                                  \
  ++at;
#include "assay/select/Features.def"
#undef ASSAY_FEATURE
}

void GemmFeatures::problemInto(const ProblemFacts &p, float *out) const {
  axisInto<Axis::Problem>(base_, p, {}, {}, {}, out);
}

void GemmFeatures::tileInto(const TileFacts &t, float *out) const {
  axisInto<Axis::Tile>(base_, {}, t, {}, {}, out);
}

void GemmFeatures::traitInto(const GemmConfig &config, float *out) const {
  TraitFacts x = {double(config.kr),
                  double(config.packA == Packing::Pack),
                  double(config.packB == Packing::Pack),
                  double(config.pipeline),
                  double(config.prefetch),
                  double(config.splitK),
                  double(config.gridM),
                  double(config.gridN),
                  double(config.edge == Edge::Padded),
                  double(config.epilogue)};
  axisInto<Axis::Trait>(base_, {}, {}, {}, x, out);
}

void GemmFeatures::mixedInto(const ProblemFacts &p, const TileFacts &t,
                             float *out) const {
  axisInto<Axis::Mixed>(base_, p, t, mix(base_, p, t), {}, out);
}

std::vector<float> GemmFeatures::row(const GemmProblem &problem,
                                     const GemmConfig &config) const {
  std::vector<float> out(gemmFeatures().size());
  ProblemFacts p = facts(problem);
  TileFacts t = facts(config);
  problemInto(p, out.data());
  tileInto(t, out.data());
  traitInto(config, out.data());
  mixedInto(p, t, out.data());
  return out;
}

static auto tileKey(const GemmConfig &c) {
  return std::tuple(c.family, c.mr, c.nr, c.mc, c.nc, c.kc, c.order);
}

static auto traitKey(const GemmConfig &c) {
  return std::tuple(c.kr, c.packA, c.packB, c.pipeline, c.prefetch, c.splitK,
                    c.gridM, c.gridN, c.edge, c.epilogue);
}

GemmGrid select::makeGrid(const GemmFeatures &features,
                          llvm::ArrayRef<GemmConfig> configs) {
  GemmGrid out;
  std::map<decltype(tileKey(configs[0])), int32_t> tiles;
  std::map<decltype(traitKey(configs[0])), int32_t> traits;
  llvm::ArrayRef<FeatureInfo> infos = gemmFeatures();
  for (const FeatureInfo &info : infos)
    out.grid.axes.push_back(info.axis);
  out.grid.constant.resize(infos.size());
  std::vector<float> row(infos.size());
  auto append = [&](Axis axis) {
    for (size_t f = 0; f < infos.size(); ++f)
      if (infos[f].axis == axis)
        out.grid.constant[f].push_back(row[f]);
  };
  for (const GemmConfig &config : configs) {
    auto [tile, newTile] =
        tiles.try_emplace(tileKey(config), static_cast<int32_t>(tiles.size()));
    if (newTile) {
      out.tiles.push_back(features.facts(config));
      features.tileInto(out.tiles.back(), row.data());
      append(Axis::Tile);
    }
    auto [trait, newTrait] = traits.try_emplace(
        traitKey(config), static_cast<int32_t>(traits.size()));
    if (newTrait) {
      features.traitInto(config, row.data());
      append(Axis::Trait);
    }
    out.grid.tileOf.push_back(tile->second);
    out.grid.traitOf.push_back(trait->second);
  }
  out.grid.tiles = static_cast<int64_t>(tiles.size());
  out.grid.traits = static_cast<int64_t>(traits.size());
  return out;
}

void select::fillQuery(const GemmFeatures &features, const GemmGrid &grid,
                       const GemmProblem &problem, int64_t paddedTiles,
                       ForestQuery &query) {
  llvm::ArrayRef<FeatureInfo> infos = gemmFeatures();
  query.problem.resize(infos.size());
  query.mixed.resize(infos.size());
  std::vector<std::pair<size_t, float *>> mixed;
  for (size_t f = 0; f < infos.size(); ++f)
    if (infos[f].axis == Axis::Mixed) {
      query.mixed[f].resize(paddedTiles);
      mixed.push_back({f, query.mixed[f].data()});
    }
  ProblemFacts p = features.facts(problem);
  features.problemInto(p, query.problem.data());
  std::vector<float> row(infos.size());
  for (size_t tile = 0; tile < grid.tiles.size(); ++tile) {
    features.mixedInto(p, grid.tiles[tile], row.data());
    for (auto [f, values] : mixed)
      values[tile] = row[f];
  }
}
