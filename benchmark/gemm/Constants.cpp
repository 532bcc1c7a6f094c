// One measurement per constant: a loop that waits for nothing else, or two
// kernels that differ only in the property that the constant describes.
#include "Constants.h"

#include "assay/kernels/CostConstants.h"
#include "assay/kernels/CostModel.h"
#include "assay/kernels/Peaks.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/select/GemmContest.h"
#include "assay/select/Timing.h"
#include "assay/support/Table.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <immintrin.h>

using namespace assay;
using namespace assay::kernels;

/// The nanoseconds of the quickest of `repeats` calls.
static double bestNs(int repeats, llvm::function_ref<void()> body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto start = Clock::now();
    body();
    best = std::min(
        best,
        std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return best;
}

/// Dependent additions take a cycle each.
static double measuredGhz() {
  constexpr int64_t kLoops = 2'000'000;
  double ns = bestNs(5, [] {
    uint64_t sum = 0;
    for (int64_t loop = 0; loop < kLoops; ++loop)
      asm volatile("add $1, %0\nadd $1, %0\nadd $1, %0\nadd $1, %0\n"
                   "add $1, %0\nadd $1, %0\nadd $1, %0\nadd $1, %0\n"
                   : "+r"(sum));
  });
  return 8.0 * kLoops / ns;
}

__attribute__((target("fma"))) static double productLatencyNs() {
  constexpr int64_t kLoops = 2'000'000;
  return bestNs(5,
                [] {
                  __m128 sum = _mm_set_ss(1), factor = _mm_set_ss(1);
                  for (int64_t loop = 0; loop < kLoops; ++loop)
                    asm volatile("vfmadd231ss %1, %1, %0\n"
                                 "vfmadd231ss %1, %1, %0\n"
                                 : "+x"(sum)
                                 : "x"(factor));
                }) /
         (2.0 * kLoops);
}

/// Bytes per nanosecond when a buffer is read repeatedly.
__attribute__((target_clones("default", "avx2", "avx512f"))) static uint64_t
sumOf(const uint64_t *words, int64_t count) {
  uint64_t lanes[32] = {}, sum = 0;
  for (int64_t index = 0; index + 32 <= count; index += 32)
    for (int lane = 0; lane < 32; ++lane)
      lanes[lane] += words[index + lane];
  for (uint64_t lane : lanes)
    sum += lane;
  return sum;
}
static double readRate(int64_t bytes) {
  std::vector<uint64_t> words(static_cast<size_t>(bytes / 8), 1);
  volatile uint64_t sink = sumOf(words.data(), bytes / 8);
  double ns = bestNs(200, [&] { sink = sumOf(words.data(), bytes / 8); });
  return double(bytes) / ns;
}

/// Bytes per nanosecond, read and written, when panels of 16 lanes are packed
/// from a matrix in the second level.
static double packRate(const Machine &machine, bool along) {
  constexpr int64_t kDepth = 256, kLanes = 16, kPanels = 8;
  std::vector<float> source(kDepth * kLanes * kPanels, 1);
  std::vector<__m512> panel(kDepth * kLanes / 16 + 1);
  MicroMath math = mathFor({}, machine.isa);
  double ns = bestNs(200, [&] {
    for (int64_t index = 0; index < kPanels; ++index) {
      PanelJob job;
      job.source = source.data() + index * (along ? kLanes * kDepth : kLanes);
      job.laneStride = along ? kDepth : 1;
      job.stepStride = along ? 1 : kLanes * kPanels;
      job.lanes = job.width = kLanes;
      job.k = kDepth;
      packPanel(job, math, panel.data());
    }
  });
  return double(kDepth * kLanes * kPanels) * 8 / ns;
}

/// The rate, in bytes per nanosecond, of the extra cost of stores through the
/// caches over stores that bypass them: lines are read only to be overwritten.
static double ownRate() {
  constexpr int64_t kBytes = int64_t(128) << 20;
  std::vector<__m128i> memory(kBytes / 16);
  auto *end = memory.data() + memory.size();
  double through = bestNs(5, [&] {
    for (__m128i *at = memory.data(); at != end; ++at)
      asm volatile("movdqa %1, %0" : "=m"(*at) : "x"(_mm_setzero_si128()));
  });
  double past = bestNs(5, [&] {
    for (__m128i *at = memory.data(); at != end; ++at)
      _mm_stream_si128(at, _mm_setzero_si128());
  });
  return through > past ? double(kBytes) / (through - past) : INFINITY;
}

namespace {
/// Times kernels of one problem against kernels of another, alternately.
struct Pairs {
  Registry &registry;
  ThreadPool &pool;

  /// The supported tile that the analytic model ranks first among those that
  /// `wanted` accepts.
  std::optional<GemmConfig>
  best(const GemmProblem &problem,
       llvm::function_ref<bool(const GemmConfig &)> wanted) const {
    std::optional<GemmConfig> found;
    double least = 1e300;
    for (const GemmConfig &config :
         registry.enumerate(problem.types(), Layout::RRR)) {
      if (config.family != Family::Tile || !wanted(config) ||
          registry.supports(problem, config))
        continue;
      double ns = estimate(problem, config, registry.machine()).totalNs();
      if (ns < least) {
        least = ns;
        found = config;
      }
    }
    return found;
  }

  /// The nanoseconds of one call; NaN when the pair cannot be prepared.
  double ns(const GemmProblem &problem, const GemmConfig &config) const {
    select::GemmContest contest(registry, pool, problem,
                                Layout::RRR, config, 1);
    auto gemm = contest.prepare(0);
    if (!gemm) {
      llvm::consumeError(gemm.takeError());
      return NAN;
    }
    select::KernelTimer timer(problem.threads);
    int repetitions = timer.repetitionsFor(**gemm, 200'000);
    double best = 1e300;
    for (int repeat = 0; repeat < 60; ++repeat)
      best = std::min(best, timer.time(**gemm, repetitions) / repetitions);
    return best;
  }
};
} // namespace

static GemmProblem product(int64_t m, int64_t n, int64_t k) {
  return GemmProblem::make({}, Layout::RRR, m, n, k);
}

/// A tile that reads B in place, with rows `bytes` apart, compared with the
/// same tile on rows without a gap.
static double farB(const Pairs &pairs, int64_t bytes) {
  GemmProblem dense = product(224, 32, 256), apart = dense;
  apart.bStrides.row = bytes / 4;
  auto config = pairs.best(dense, [](const GemmConfig &c) {
    return c.packB == Packing::None && c.packA == Packing::Pack &&
           c.splitK == 1 && c.nr == 32;
  });
  return config ? pairs.ns(apart, *config) / pairs.ns(dense, *config) : NAN;
}

/// The same for rows of A, read in place, a multiple of 4 KiB apart.
static double aliasedA(const Pairs &pairs) {
  GemmProblem apart = product(224, 256, 256), aliased = apart;
  apart.aStrides.row = 1024 + 16;
  aliased.aStrides.row = 1024;
  auto config = pairs.best(apart, [](const GemmConfig &c) {
    return c.packA == Packing::None && c.packB == Packing::Pack && c.mr > 8 &&
           c.splitK == 1;
  });
  return config ? pairs.ns(aliased, *config) / pairs.ns(apart, *config) : NAN;
}

/// Nanoseconds per element for ReLU in the tile's own store.
static double epilogueCost(const Pairs &pairs) {
  GemmProblem plain = product(256, 256, 64), withRelu = plain;
  withRelu.activation = Activation::Relu;
  auto config = pairs.best(withRelu, [](const GemmConfig &c) {
    return c.epilogue == EpilogueMode::Fused && c.splitK == 1;
  });
  return config ? (pairs.ns(withRelu, *config) - pairs.ns(plain, *config)) /
                      (256.0 * 256)
                : NAN;
}

/// Bytes per nanosecond when the parts of a split k are added.
static double sumRate(const Pairs &pairs) {
  GemmProblem problem = product(256, 256, 512);
  auto split =
      pairs.best(problem, [](const GemmConfig &c) { return c.splitK == 2; });
  if (!split)
    return NAN;
  GemmConfig whole = *split;
  whole.splitK = 1;
  return 256.0 * 256 * (2 * 4 + 4) /
         (pairs.ns(problem, *split) - pairs.ns(problem, whole));
}

/// A tile whose block (or panel) exceeds its cache level compared with one
/// whose does not, with the other properties equal.
static double beyond(const Pairs &pairs, bool block) {
  const auto &caches = pairs.registry.machine().caches;
  GemmProblem problem = product(1536, 768, 1024);
  auto bytes = [&](const GemmConfig &c) {
    return 4.0 * c.kc *
           (block ? std::min<double>(c.mc, double(problem.m)) : c.nr);
  };
  double limit = block ? 0.7 * double(caches.l2) : 0.6 * double(caches.l1);
  auto plain = [](const GemmConfig &c) {
    return c.order == LoopOrder::NKM && c.splitK == 1 &&
           c.packA == Packing::Pack && c.packB == Packing::Pack;
  };
  auto inside = pairs.best(problem, [&](const GemmConfig &c) {
    return plain(c) && bytes(c) <= limit;
  });
  if (!inside)
    return NAN;
  auto outside = pairs.best(problem, [&](const GemmConfig &c) {
    return plain(c) && bytes(c) > limit && c.mr == inside->mr &&
           c.nr == inside->nr;
  });
  return outside ? pairs.ns(problem, *outside) / pairs.ns(problem, *inside)
                 : NAN;
}

void bench::printConstants(Registry &registry, ThreadPool &pool) {
  Pairs pairs{registry, pool};
  const Machine &machine = registry.machine();
  Table table({{"constant"},
               {"unit"},
               {"assumed", Table::Align::Right},
               {"measured", Table::Align::Right},
               {"ratio", Table::Align::Right}});
  auto row = [&](const char *name, const char *unit, double assumed,
                 double measured) {
    bool known = std::isfinite(measured);
    table.addRow(
        {name, unit, llvm::formatv("{0:f2}", assumed).str(),
         known ? llvm::formatv("{0:f2}", measured).str() : "none",
         known ? llvm::formatv("{0:f2}", measured / assumed).str() : ""});
  };
  double ghz = measuredGhz();
  row("kGhz", "cycles/ns", cost::kGhz, ghz);
  row("kProductLatency", "cycles", cost::kProductLatency,
      productLatencyNs() * ghz);
  row("kBytesPerNs", "bytes/ns", cost::kBytesPerNs,
      readRate(int64_t(256) << 20));
  row("kL2BytesPerNs", "bytes/ns", cost::kL2BytesPerNs,
      readRate(machine.caches.l2 / 2));
  row("kPackAlongBytesPerNs", "bytes/ns", cost::kPackAlongBytesPerNs,
      packRate(machine, true));
  row("kPackAcrossBytesPerNs", "bytes/ns", cost::kPackAcrossBytesPerNs,
      packRate(machine, false));
  row("kOwnBytesPerNs", "bytes/ns", cost::kOwnBytesPerNs, ownRate());
  row("kSumBytesPerNs", "bytes/ns", cost::kSumBytesPerNs, sumRate(pairs));
  row("kEpilogueNs", "ns/element", cost::kEpilogueNs, epilogueCost(pairs));
  row("kNearB", "times", cost::kNearB, farB(pairs, 1024));
  row("kApartB", "times", cost::kApartB, farB(pairs, 2560));
  row("kFarB", "times", cost::kFarB, farB(pairs, 3584));
  row("kAliasedB", "times", cost::kAliasedB, farB(pairs, 4096));
  row("kAliasedA", "times", cost::kAliasedA, aliasedA(pairs));
  row("kBlockBeyondL2", "times", cost::kBlockBeyondL2, beyond(pairs, true));
  row("kPanelBeyondL1", "times", cost::kPanelBeyondL1, beyond(pairs, false));
  row("kGridLaunchNs", "ns", cost::kGridLaunchNs,
      bestNs(2000, [&] { pool.runOnAll([](int) {}); }));
  row("kRowsLaunchNs", "ns", cost::kRowsLaunchNs,
      bestNs(2000, [&] { pool.parallelFor(64, 1, [](int64_t, int64_t) {}); }));
  llvm::outs() << "machine: " << machine.processor << ", " << machine.isa.name
               << "\n";
  table.print(llvm::outs());
}
