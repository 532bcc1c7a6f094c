// Measures peaks. Arithmetic: the generator's largest register tile on two
// small panels, so that only the multiply-add units can be the limit. Memory: a
// plain sum over a buffer larger than a core's caches.
#include "assay/kernels/Peaks.h"

#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Clones.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace assay::kernels {

static double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The largest tile for the types' math. Its steps have length zero, so that it
/// reads the same vectors of B and elements of A again and again.
static MicroKey peakKey(const Isa &isa, TypePair types, bool tiles) {
  MicroKey key;
  key.math = mathFor(types, isa);
  if (tiles)
    key.math =
        types.a == DataType::BF16 ? MicroMath::AmxBf16 : MicroMath::AmxBytes;
  key.rows = isa.vectorRegisters >= 32 ? 14 : 6;
  key.columns = 2;
  key.unroll = 4;
  key.aForm = groupOf(key.math) == 1 ? AForm::ColumnMajor : AForm::Packed;
  key.bPacked = groupOf(key.math) != 1;
  key.bUnsigned = false;
  key.aType = tiles ? types.a : accumulatorOf(key.math);
  key.bType = tiles ? types.b : accumulatorOf(key.math);
  if (tiles) { // 2 x 2 squares of sums
    key.rows = 32;
    key.unroll = 1;
  }
  return key;
}

static constexpr int kPeakCalls = 200;

/// The best time of one thread for kPeakCalls calls.
static double timeCalls(MicroFunction function, const MicroKey &key,
                        int64_t width, int64_t depth) {
  int64_t step = depthMultipleOf(key.math) * packedBytesOf(key.math);
  int64_t bytes = (width + key.rows) * (depth + 1) * step + 4096;
  auto *memory = static_cast<char *>(std::aligned_alloc(
      4096, static_cast<size_t>((bytes + 4095) / 4096 * 4096)));
  std::memset(memory, 0, static_cast<size_t>(bytes));
  std::vector<double> c(static_cast<size_t>(width * key.rows));
  MicroArguments arguments;
  arguments.k = depth;
  arguments.b = memory;
  arguments.a = memory + width * (depth + 1) * step;
  arguments.c = c.data();
  arguments.cRow = width * sizeOf(accumulatorOf(key.math));
  arguments.n = width;
  setScalars(arguments, accumulatorOf(key.math), 1, 0);
  double best = 1e30;
  for (int repeat = 0; repeat < 40; ++repeat) {
    double start = seconds();
    for (int call = 0; call < kPeakCalls; ++call)
      function(&arguments);
    best = std::min(best, seconds() - start);
  }
  std::free(memory);
  return best;
}

llvm::Expected<double> measureGflops(Registry &registry, TypePair types,
                                     int threads, ThreadPool &pool) {
  const Isa &isa = registry.machine().isa;
  bool tiles = isa.amx && (types.a == DataType::BF16 || sizeOf(types.a) == 1);
  MicroKey key = peakKey(isa, types, tiles);
  auto function = registry.jit().get(key);
  if (!function)
    return function.takeError();
  // Both panels stay in the L1 cache.
  int64_t depth = tiles ? 8 : 256;
  int64_t width = int64_t(key.columns) * isa.lanes(accumulatorOf(key.math));
  std::vector<double> best(static_cast<size_t>(threads), 1e30);
  auto one = [&](int thread) {
    if (thread < threads)
      best[static_cast<size_t>(thread)] =
          timeCalls(*function, key, width, depth);
  };
  if (threads == 1)
    one(0);
  else
    pool.runOnAll(one);
  double flops = 2.0 * key.rows * double(width) * double(depth) *
                 depthMultipleOf(key.math) * kPeakCalls,
         total = 0;
  for (double time : best)
    total += flops / time * 1e-9;
  return total;
}

ASSAY_CLONES static uint64_t sumWords(const uint64_t *words, int64_t count) {
  uint64_t lanes[32] = {};
  for (int64_t index = 0; index + 32 <= count; index += 32)
    for (int lane = 0; lane < 32; ++lane)
      lanes[lane] += words[index + lane];
  uint64_t total = 0;
  for (uint64_t lane : lanes)
    total += lane;
  return total;
}

int64_t megabytesBeyondCaches(const Machine &machine) {
  return std::max<int64_t>(256, 2 * (machine.caches.l3 >> 20));
}

double measureBandwidth(int threads, int64_t megabytes, ThreadPool &pool) {
  int64_t words = megabytes * (1 << 20) / 8;
  std::vector<uint64_t> memory(static_cast<size_t>(words), 1);
  double best = 1e30;
  int repeats = static_cast<int>(std::clamp<int64_t>(1024 / megabytes, 5, 100));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double start = seconds();
    auto part = [&](int thread) {
      if (thread < threads) {
        int64_t first = words * thread / threads,
                last = words * (thread + 1) / threads;
        // The compiler may not drop the sum.
        volatile uint64_t sink = sumWords(memory.data() + first, last - first);
        (void)sink;
      }
    };
    if (threads == 1)
      part(0);
    else
      pool.runOnAll(part);
    best = std::min(best, seconds() - start);
  }
  return double(words) * 8 / best * 1e-9;
}

} // namespace assay::kernels
