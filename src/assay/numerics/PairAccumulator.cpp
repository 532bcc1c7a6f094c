// The pair pass: cuts both sides into blocks, prepares and sums each one
// (PairPrepare.cpp, PairKernel.cpp), removes non-finite elements, and keeps
// extremes with their indices. A block is searched element by element only when
// its extreme beats the current one, which happens a few times per tensor.
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairBlock.h"
#include "assay/numerics/PairHalves.h"
#include "assay/support/ThreadPool.h"

#include <cstring>
#include <iterator>
#include <vector>

namespace assay::numerics {

using namespace detail;

const double kDecadeThresholds[kDecades] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5,
                                            1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

static bool isDecade(double threshold) {
  return std::find(std::begin(kDecadeThresholds), std::end(kDecadeThresholds),
                   threshold) != std::end(kDecadeThresholds);
}

double ulpBucketFloor(int bucket) {
  if (bucket == 0)
    return 0;
  return std::ldexp(1.0 + (bucket - 1) % 8 / 8.0, (bucket - 1) / 8);
}

namespace {
/// Adds one run of elements to an accumulator; owns the buffers for a block.
class PairPass {
public:
  PairPass(PairAccumulator &sums, const void *target, const void *bench,
           int64_t firstIndex)
      : sums_(sums), target_(static_cast<const std::byte *>(target)),
        bench_(static_cast<const std::byte *>(bench)), firstIndex_(firstIndex),
        bytes_(sums.type.storageBytes()), halfLimits_(sums.options),
        halves_(sums.type == ElementType::floating(FloatFormat::F16)) {}
  void addBlock(int64_t offset, int n);
  void finish();

private:
  bool addHalves(const std::byte *target, const std::byte *bench, int n,
                 bool identical);
  void removeNonFinite();
  void addNonFinite(int i);
  void addBuckets(bool identical);
  void addSums(const KernelSums &block);
  void updateExtremes(const KernelSums &block);
  void keep(PairSample &sample, int i, double error);
  /// The position in the run of the block's i-th element.
  int64_t position(int i) const {
    return offset_ + (compacted_ ? kept_[i] : i);
  }

  PairAccumulator &sums_;
  const std::byte *target_, *bench_;
  int64_t firstIndex_, bytes_, offset_ = 0;
  HalfLimits halfLimits_;
  bool halves_; ///< the type is f16
  PairBlock block_;
  int kept_[kPairBlock];
  bool compacted_ = false; ///< non-finite elements were removed; kept_ has the
                           ///< positions of the others
  uint32_t histogram_[4][kUlpBuckets] = {}; ///< of the current run
};
} // namespace

void PairPass::keep(PairSample &sample, int i, double error) {
  sample.index = firstIndex_ + position(i);
  sample.error = error;
  std::memcpy(sample.target.data(), target_ + position(i) * bytes_, bytes_);
  std::memcpy(sample.bench.data(), bench_ + position(i) * bytes_, bytes_);
}

enum class ValueClass { Finite, Nan, PlusInf, MinusInf };

static ValueClass classOf(double x) {
  if (x - x == 0)
    return ValueClass::Finite;
  return x != x  ? ValueClass::Nan
         : x > 0 ? ValueClass::PlusInf
                 : ValueClass::MinusInf;
}

static void countClass(ValueClass c, int64_t &nan, int64_t &plusInf,
                       int64_t &minusInf) {
  nan += c == ValueClass::Nan;
  plusInf += c == ValueClass::PlusInf;
  minusInf += c == ValueClass::MinusInf;
}

/// Counts a pair with a non-finite member.
void PairPass::addNonFinite(int i) {
  NonFiniteCounts &counts = sums_.nonFinite;
  ValueClass t = classOf(block_.target[i]), b = classOf(block_.bench[i]);
  countClass(t, counts.targetNan, counts.targetPlusInf, counts.targetMinusInf);
  countClass(b, counts.benchNan, counts.benchPlusInf, counts.benchMinusInf);
  bool equal = sums_.type.isComplex()
                   ? ulpDistance(sums_.type, target_ + (offset_ + i) * bytes_,
                                 bench_ + (offset_ + i) * bytes_) == 0
                   : t == b;
  if (equal) {
    ++counts.agree;
    ++sums_.close;
    ++sums_.ulpHistogram[0];
    return;
  }
  ++counts.disagree;
  if (counts.firstDisagree < 0)
    counts.firstDisagree = firstIndex_ + offset_ + i;
  double finite = t == ValueClass::Finite ? block_.target[i] : block_.bench[i];
  bool infinite =
      t == ValueClass::Finite ? b != ValueClass::Nan : t != ValueClass::Nan;
  bool oneFinite = t == ValueClass::Finite || b == ValueClass::Finite;
  counts.saturated += oneFinite && infinite && sums_.type.isFloat() &&
                      std::fabs(finite) == maxFinite(sums_.type.format);
  ++sums_.mismatches;
  ++sums_.greater;
  for (int64_t &decade : sums_.decades)
    ++decade;
  ++sums_.ulpHistogram[ulpBucket(kUlpMax)];
  if (sums_.ulpMax != kUlpMax) {
    sums_.ulpMax = kUlpMax;
    sums_.maxUlp.index = firstIndex_ + offset_ + i;
    sums_.maxUlp.error = static_cast<double>(kUlpMax);
    std::memcpy(sums_.maxUlp.target.data(), target_ + (offset_ + i) * bytes_,
                bytes_);
    std::memcpy(sums_.maxUlp.bench.data(), bench_ + (offset_ + i) * bytes_,
                bytes_);
  }
}

/// Removes non-finite elements from the block; sums and distances of the
/// remaining elements are computed afterwards.
void PairPass::removeNonFinite() {
  int kept = 0;
  block_.ulpMax = 0;
  for (int i = 0; i < block_.n; ++i) {
    double t = block_.target[i], b = block_.bench[i];
    if (t - t != 0 || b - b != 0) {
      addNonFinite(i);
      continue;
    }
    uint64_t distance =
        ulpDistance(sums_.type, target_ + (offset_ + i) * bytes_,
                    bench_ + (offset_ + i) * bytes_);
    block_.ulpMax = std::max(block_.ulpMax, distance);
    block_.target[kept] = t;
    block_.bench[kept] = b;
    block_.difference[kept] = block_.difference[i];
    block_.bucket[kept] = static_cast<uint16_t>(ulpBucket(distance));
    kept_[kept++] = i;
  }
  compacted_ = kept < block_.n;
  block_.n = kept;
  padTail(block_);
}

void PairPass::updateExtremes(const KernelSums &block) {
  int n = block_.n;
  if (block.maxAbs > sums_.maxAbs.error)
    keep(sums_.maxAbs,
         static_cast<int>(
             std::find(block_.difference, block_.difference + n, block.maxAbs) -
             block_.difference),
         block.maxAbs);
  if (block.exceedsRel)
    for (int i = 0; i < n; ++i) {
      double rel = block_.difference[i] / std::fabs(block_.bench[i]);
      if (block_.bench[i] != 0 && rel > sums_.maxRel.error)
        keep(sums_.maxRel, i, rel);
    }
  // Zeros that pad the tail must not count.
  bool padded = n % kLanes != 0;
  double minAbs =
      padded ? *std::min_element(block_.difference, block_.difference + n)
             : block.minAbs;
  sums_.minAbs = std::min(sums_.minAbs, minAbs);
  if (sums_.maxUlp.index < 0 || block_.ulpMax > sums_.ulpMax) {
    for (int i = 0; i < n; ++i)
      if (ulpDistance(sums_.type, target_ + position(i) * bytes_,
                      bench_ + position(i) * bytes_) == block_.ulpMax) {
        keep(sums_.maxUlp, i, static_cast<double>(block_.ulpMax));
        break;
      }
    sums_.ulpMax = block_.ulpMax;
  }
  auto updateLargest = [&](LargestElement &largest, const double *values,
                           double inBlock) {
    double value = padded ? largestOf(values, n) : inBlock;
    if (largest.index < 0 || value > largest.value)
      largest = {firstIndex_ +
                     position(static_cast<int>(
                         std::find(values, values + n, value) - values)),
                 value};
  };
  updateLargest(sums_.targetLargest, block_.target, block.targetLargest);
  updateLargest(sums_.benchLargest, block_.bench, block.benchLargest);
}

void PairPass::addSums(const KernelSums &block) {
  sums_.finitePairs += block_.n;
  sums_.absError.add(block.absError);
  sums_.squaredError.add(block.squaredError);
  sums_.targetSquares.add(block.targetSquares);
  sums_.benchSquares.add(block.benchSquares);
  bool complex =
      sums_.type.isComplex(); // |t - b|^2 = |t|^2 + |b|^2 - 2 Re(t conj b)
  sums_.products.add(
      complex
          ? (block.targetSquares + block.benchSquares - block.squaredError) / 2
          : block.products);
  sums_.above += complex ? 0 : block.above;
  sums_.close += block.close;
  sums_.maxExcess = std::max(sums_.maxExcess, block.maxExcess);
  // Counts elements above a threshold. If it is below the smallest nonzero
  // error, no element needs to be read, because all nonzero errors exceed it.
  auto count = [&](double threshold) {
    return block.maxAbs > threshold
               ? countAbove(block_, std::max(threshold, 0.0))
               : 0;
  };
  int64_t nonzero = -1;
  for (int k = 0; sums_.options.full && k < kDecades; ++k) {
    bool all = nonzero >= 0 && kDecadeThresholds[k] < block.minNonzero;
    int64_t above = all ? nonzero : count(kDecadeThresholds[k]);
    sums_.decades[k] += above;
    if (kDecadeThresholds[k] < block.minNonzero)
      nonzero = above;
    if (kDecadeThresholds[k] == sums_.options.greaterThan)
      sums_.greater += above;
  }
  if (!sums_.options.full || !isDecade(sums_.options.greaterThan))
    sums_.greater += count(sums_.options.greaterThan);
  updateExtremes(block);
}

void PairPass::addBuckets(bool identical) {
  if (identical) {
    sums_.ulpHistogram[0] += block_.n;
    return;
  }
  // All distances are 0 or 1, as for another device's rounding, and equal their
  // buckets.
  if (block_.ulpMax <= 1) {
    uint32_t ones = 0;
    for (int i = 0; i < block_.n; ++i)
      ones += block_.bucket[i];
    histogram_[0][0] += block_.n - ones;
    histogram_[0][1] += ones;
    return;
  }
  // Four alternating tables: neighbours often share a bucket, and an increment
  // should not wait for the previous one.
  int i = 0;
  for (; i + 4 <= block_.n; i += 4) {
    ++histogram_[0][block_.bucket[i]];
    ++histogram_[1][block_.bucket[i + 1]];
    ++histogram_[2][block_.bucket[i + 2]];
    ++histogram_[3][block_.bucket[i + 3]];
  }
  for (; i < block_.n; ++i)
    ++histogram_[0][block_.bucket[i]];
}

void PairPass::finish() {
  for (const auto &table : histogram_)
    for (int bucket = 0; bucket < kUlpBuckets; ++bucket) {
      sums_.ulpHistogram[bucket] += table[bucket];
      sums_.mismatches += bucket > 0 ? table[bucket] : 0;
    }
}

/// Adds a whole block if it only changes sums and counts. The general loops
/// handle everything else, especially new extremes.
bool PairPass::addHalves(const std::byte *target, const std::byte *bench, int n,
                         bool identical) {
  HalfSums block;
  if (sums_.maxUlp.index < 0 ||
      !sumHalves(target, bench, n, halfLimits_, block))
    return false;
  if (block.maxAbs > sums_.maxAbs.error || block.minAbs < sums_.minAbs ||
      block.excessAtMost > sums_.maxExcess || block.ulpMax > sums_.ulpMax ||
      block.targetLargest > sums_.targetLargest.value ||
      block.benchLargest > sums_.benchLargest.value)
    return false;
  if (block.ulpMax <= 1) {
    histogram_[0][0] += static_cast<uint32_t>(n - block.differing);
    histogram_[0][1] += static_cast<uint32_t>(block.differing);
  } else {
    fillBuckets(sums_.type, target, bench, n, block_.bucket);
    block_.n = n;
    block_.ulpMax = block.ulpMax;
    addBuckets(identical);
  }
  sums_.finitePairs += n;
  sums_.squaredError.add(block.squaredError);
  sums_.targetSquares.add(block.targetSquares);
  sums_.benchSquares.add(block.benchSquares);
  sums_.products.add(block.products);
  sums_.close += block.close;
  sums_.greater += block.greater;
  return true;
}

void PairPass::addBlock(int64_t offset, int n) {
  offset_ = offset;
  compacted_ = false;
  const std::byte *target = target_ + offset * bytes_,
                  *bench = bench_ + offset * bytes_;
  bool identical = std::memcmp(target, bench, n * bytes_) == 0;
  if (halves_ && addHalves(target, bench, n, identical))
    return;
  preparePair(sums_.type, target, bench, n, identical, block_);
  KernelLimits limits{sums_.options.rtol, sums_.options.atol,
                      sums_.options.slope, sums_.maxRel.error};
  KernelSums block;
  sumPair(block_, limits, block);
  if (!block.finite() && !sums_.type.isInteger()) {
    removeNonFinite();
    if (sums_.type.isComplex()) // `difference` already has the modulus
      block_.subtract = false;
    sumPair(block_, limits, block);
  }
  addBuckets(identical && !compacted_);
  if (block_.n > 0)
    addSums(block);
}

void PairAccumulator::accumulate(const void *target, const void *bench,
                                 int64_t n, int64_t firstIndex) {
  constexpr int64_t kRun = int64_t{1} << 30; // the pass counts in 32 bits
  for (int64_t run = 0; run < n; run += kRun) {
    int64_t bytes = type.storageBytes(), end = std::min(kRun, n - run);
    PairPass pass(*this, static_cast<const std::byte *>(target) + run * bytes,
                  static_cast<const std::byte *>(bench) + run * bytes,
                  firstIndex + run);
    for (int64_t offset = 0; offset < end; offset += kPairBlock)
      pass.addBlock(offset, static_cast<int>(
                                std::min<int64_t>(kPairBlock, end - offset)));
    pass.finish();
  }
  count += n;
}

static void mergeSample(PairSample &sample, const PairSample &later) {
  if (sample.index < 0 || later.error > sample.error)
    sample = later;
}

static void mergeCounts(NonFiniteCounts &counts, const NonFiniteCounts &later) {
  counts.targetNan += later.targetNan;
  counts.targetPlusInf += later.targetPlusInf;
  counts.targetMinusInf += later.targetMinusInf;
  counts.benchNan += later.benchNan;
  counts.benchPlusInf += later.benchPlusInf;
  counts.benchMinusInf += later.benchMinusInf;
  counts.agree += later.agree;
  counts.disagree += later.disagree;
  counts.saturated += later.saturated;
  if (counts.firstDisagree < 0)
    counts.firstDisagree = later.firstDisagree;
}

void PairAccumulator::merge(const PairAccumulator &later) {
  count += later.count;
  finitePairs += later.finitePairs;
  absError.add(later.absError);
  squaredError.add(later.squaredError);
  targetSquares.add(later.targetSquares);
  benchSquares.add(later.benchSquares);
  products.add(later.products);
  mergeSample(maxAbs, later.maxAbs);
  mergeSample(maxRel, later.maxRel);
  if (maxUlp.index < 0 || later.ulpMax > ulpMax)
    maxUlp = later.maxUlp;
  ulpMax = std::max(ulpMax, later.ulpMax);
  minAbs = std::min(minAbs, later.minAbs);
  maxExcess = std::max(maxExcess, later.maxExcess);
  mismatches += later.mismatches;
  above += later.above;
  close += later.close;
  greater += later.greater;
  for (int k = 0; k < kDecades; ++k)
    decades[k] += later.decades[k];
  for (int k = 0; k < kUlpBuckets; ++k)
    ulpHistogram[k] += later.ulpHistogram[k];
  auto mergeLargest = [](LargestElement &largest, const LargestElement &other) {
    if (other.index >= 0 && (largest.index < 0 || other.value > largest.value))
      largest = other;
  };
  mergeLargest(targetLargest, later.targetLargest);
  mergeLargest(benchLargest, later.benchLargest);
  mergeCounts(nonFinite, later.nonFinite);
}

PairAccumulator accumulatePair(ElementType type, const void *target,
                               const void *bench, int64_t n,
                               const PairOptions &options, ThreadPool *pool) {
  // Chunks have a fixed size, independent of the number of threads, so that
  // sums are always grouped in the same way.
  constexpr int64_t kChunk = int64_t{1} << 18;
  PairAccumulator total;
  total.type = type;
  total.options = options;
  constexpr int64_t kWave = 256; // chunks that are in memory at a time
  int64_t bytes = type.storageBytes();
  std::vector<PairAccumulator> parts;
  for (int64_t waveFirst = 0; waveFirst < n; waveFirst += kWave * kChunk) {
    int64_t chunks = std::min(kWave, (n - waveFirst + kChunk - 1) / kChunk);
    PairAccumulator empty;
    empty.type = type;
    empty.options = options;
    parts.assign(static_cast<size_t>(chunks), empty);
    auto run = [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        int64_t first = waveFirst + c * kChunk;
        parts[c].accumulate(
            static_cast<const std::byte *>(target) + first * bytes,
            static_cast<const std::byte *>(bench) + first * bytes,
            std::min(kChunk, n - first), first);
      }
    };
    if (pool && chunks > 1)
      pool->parallelFor(chunks, 1, run);
    else
      run(0, chunks);
    for (const PairAccumulator &part : parts)
      total.merge(part);
  }
  return total;
}

} // namespace assay::numerics
