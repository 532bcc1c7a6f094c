// The pair pass: cuts both sides into blocks, prepares and sums each
// (PairPrepare.cpp, PairKernel.cpp), takes non-finite elements out first, and
// keeps extremes with their indices. A block is searched element by element
// only when its extreme beats the one so far, which happens a few times per
// tensor.
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairBlock.h"
#include "assay/support/ThreadPool.h"

#include <cstring>
#include <vector>

namespace assay::numerics {

using namespace detail;

const double kDecadeThresholds[kDecades] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5,
                                            1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

int ulpBucket(uint64_t distance) {
  if (distance == 0)
    return 0;
  auto bits = std::bit_cast<uint64_t>(static_cast<double>(distance));
  return static_cast<int>(bits >> 49) - 1023 * 8 + 1;
}

double ulpBucketFloor(int bucket) {
  if (bucket == 0)
    return 0;
  return std::ldexp(1.0 + (bucket - 1) % 8 / 8.0, (bucket - 1) / 8);
}

namespace {
/// Adds one run of elements to an accumulator; holds the block's buffers.
class PairPass {
public:
  PairPass(PairAccumulator &sums, const void *target, const void *bench,
           int64_t firstIndex)
      : sums_(sums), target_(static_cast<const std::byte *>(target)),
        bench_(static_cast<const std::byte *>(bench)), firstIndex_(firstIndex),
        bytes_(sums.type.storageBytes()) {}
  void addBlock(int64_t offset, int n);
  void finish();

private:
  void removeNonFinite();
  void addNonFinite(int i);
  void addBuckets(bool identical);
  void addSums();
  void updateExtremes(const KernelSums &block);
  void keep(PairSample &sample, int i, double error);
  /// Position in the run of the block's i-th element.
  int64_t position(int i) const {
    return offset_ + (block_.nonFinite ? kept_[i] : i);
  }

  PairAccumulator &sums_;
  const std::byte *target_, *bench_;
  int64_t firstIndex_, bytes_, offset_ = 0;
  PairBlock block_;
  int kept_[kPairBlock];
  int64_t histogram_[4][kUlpBuckets] = {};
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

/// A pair with a member that is not finite.
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

void PairPass::removeNonFinite() {
  int kept = 0;
  block_.ulpMax = 0;
  for (int i = 0; i < block_.n; ++i) {
    if (block_.target[i] - block_.target[i] != 0 ||
        block_.bench[i] - block_.bench[i] != 0) {
      addNonFinite(i);
      continue;
    }
    block_.target[kept] = block_.target[i];
    block_.bench[kept] = block_.bench[i];
    block_.difference[kept] = block_.difference[i];
    block_.product[kept] = block_.product[i];
    block_.bucket[kept] = block_.bucket[i];
    const std::byte *t = target_ + (offset_ + i) * bytes_,
                    *b = bench_ + (offset_ + i) * bytes_;
    block_.ulpMax = std::max(block_.ulpMax, ulpDistance(sums_.type, t, b));
    kept_[kept++] = i;
  }
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
  sums_.minAbs =
      block.mismatches < n
          ? 0
          : std::min(sums_.minAbs, *std::min_element(block_.difference,
                                                     block_.difference + n));
  if (sums_.maxUlp.index < 0 || block_.ulpMax > sums_.ulpMax) {
    for (int i = 0; i < n; ++i)
      if (ulpDistance(sums_.type, target_ + position(i) * bytes_,
                      bench_ + position(i) * bytes_) == block_.ulpMax) {
        keep(sums_.maxUlp, i, static_cast<double>(block_.ulpMax));
        break;
      }
    sums_.ulpMax = block_.ulpMax;
  }
  auto updateLargest = [&](LargestElement &largest, const double *values) {
    double value = largestOf(values, n);
    if (largest.index < 0 || value > largest.value)
      largest = {firstIndex_ +
                     position(static_cast<int>(
                         std::find(values, values + n, value) - values)),
                 value};
  };
  updateLargest(sums_.targetLargest, block_.target);
  updateLargest(sums_.benchLargest, block_.bench);
}

void PairPass::addSums() {
  KernelLimits limits{sums_.options.rtol, sums_.options.atol,
                      sums_.options.greaterThan, sums_.options.slope,
                      sums_.maxRel.error,
                      std::numeric_limits<double>::infinity()};
  KernelSums block;
  sumPair(block_, sums_.type.isComplex(), limits, block);
  sums_.finitePairs += block_.n;
  sums_.absError.add(block.absError);
  sums_.squaredError.add(block.squaredError);
  sums_.targetSquares.add(block.targetSquares);
  sums_.benchSquares.add(block.benchSquares);
  sums_.products.add(block.products);
  sums_.mismatches += block.mismatches;
  sums_.above += block.above;
  sums_.close += block.close;
  sums_.greater += block.greater;
  sums_.maxExcess = std::max(sums_.maxExcess, block.maxExcess);
  int64_t counted = 0; // once every differing element is above a threshold, it is above the smaller ones
  for (int k = 0; k < kDecades; ++k) {
    if (block.maxAbs > kDecadeThresholds[k] && counted < block.mismatches)
      counted = countAbove(block_, kDecadeThresholds[k]);
    sums_.decades[k] += counted;
  }
  updateExtremes(block);
}

void PairPass::addBuckets(bool identical) {
  if (identical) {
    sums_.ulpHistogram[0] += block_.n;
    return;
  }
  // Four tables in turn: neighbours often share a bucket, and an increment must
  // not wait for the one before.
  for (int i = 0; i < block_.n; ++i)
    ++histogram_[i % 4][block_.bucket[i]];
}

void PairPass::finish() {
  for (const auto &table : histogram_)
    for (int bucket = 0; bucket < kUlpBuckets; ++bucket)
      sums_.ulpHistogram[bucket] += table[bucket];
}

void PairPass::addBlock(int64_t offset, int n) {
  offset_ = offset;
  const std::byte *target = target_ + offset * bytes_,
                  *bench = bench_ + offset * bytes_;
  bool identical = std::memcmp(target, bench, n * bytes_) == 0;
  preparePair(sums_.type, target, bench, n, identical, block_);
  if (block_.nonFinite)
    removeNonFinite();
  addBuckets(identical);
  if (block_.n > 0)
    addSums();
}

void PairAccumulator::accumulate(const void *target, const void *bench,
                                 int64_t n, int64_t firstIndex) {
  PairPass pass(*this, target, bench, firstIndex);
  for (int64_t offset = 0; offset < n; offset += kPairBlock)
    pass.addBlock(offset,
                  static_cast<int>(std::min<int64_t>(kPairBlock, n - offset)));
  pass.finish();
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
  // Chunks have a fixed size, whatever the number of threads, so that the sums
  // are grouped the same way.
  constexpr int64_t kChunk = int64_t{1} << 18;
  PairAccumulator total;
  total.type = type;
  total.options = options;
  constexpr int64_t kWave = 256; // chunks in memory at a time
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
