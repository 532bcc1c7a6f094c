// Statistics of one tensor for `summary`. Blocks are decoded to f64, non-finite
// elements are counted and removed, the others are summed in eight lanes
// (PairKernelLoops.inc), and block means and deviations are combined by Chan's
// formula.
#include "assay/numerics/Statistics.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairBlock.h"
#include "assay/support/TargetClones.h"
#include "assay/support/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace assay::numerics {

using namespace detail;

static constexpr int kHistogramSize = 1 << 16;
static constexpr size_t kFew = 4096;

/// A decoded block, and the original positions of its elements once non-finite
/// ones are removed.
struct TensorStatistics::Block {
  alignas(64) double values[kPairBlock];
  std::byte bytes[kPairBlock * 16];
  int positions[kPairBlock];
  const std::byte *elements; ///< bytes of values[0], values[1], ...
  bool compacted = false;
};

/// One bin per 16-bit value: floats by sign and magnitude, integers by value.
ASSAY_CLONES
static void fillExactBins(const uint16_t *bits, int n, bool isFloat,
                          uint16_t flip, int32_t *bins) {
  for (int i = 0; i < n; ++i) {
    int32_t sign = static_cast<int16_t>(bits[i]) >> 15,
            position = bits[i] & 0x7FFF;
    bins[i] = isFloat ? 0x8000 + ((position ^ sign) - sign)
                      : (bits[i] ^ flip) & 0xFFFF;
  }
}

/// Whether the histogram of a type has one bin per value.
static bool hasExactBins(ElementType type) {
  return type.storageBytes() == 2 && (type.isFloat() || type.isInteger());
}

/// Bins ordered by value: bin 0x8000 is zero, positive codes are above it,
/// negative codes below.
ASSAY_CLONES
static void fillBins(const double *values, int n, int32_t *bins) {
  constexpr double kTop = std::numeric_limits<float>::max();
  for (int i = 0; i < n; ++i) {
    double x = values[i];
    x = x > kTop ? kTop : x;
    x = x < -kTop ? -kTop : x;
    auto bits = std::bit_cast<int32_t>(static_cast<float>(x));
    int32_t sign = bits >> 31, position = (bits & 0x7FFFFFFF) >> 16;
    bins[i] = 0x8000 + ((position ^ sign) - sign);
  }
}

static double binValue(ElementType type, int bin) {
  if (hasExactBins(type)) {
    int code = bin >= 0x8000 ? bin - 0x8000 : (0x8000 - bin) | 0x8000;
    auto bits = static_cast<uint16_t>(type.isFloat()    ? code
                                      : type.isSigned() ? bin ^ 0x8000
                                                        : bin);
    double value;
    toDoubles(type, &bits, &value, 1);
    return value;
  }
  int upper = bin >= 0x8000 ? bin - 0x8000 : (0x8000 - bin) | 0x8000;
  return std::bit_cast<float>(static_cast<uint32_t>(upper) << 16);
}

/// Decodes n elements; complex elements become moduli.
static void decode(ElementType type, const std::byte *data, int n,
                   double *values) {
  if (!type.isComplex()) {
    toDoubles(type, data, values, n);
    return;
  }
  double parts[2 * kPairBlock];
  toDoubles(type.part(), data, parts, 2 * n);
  for (int i = 0; i < n; ++i)
    values[i] = std::hypot(parts[2 * i], parts[2 * i + 1]);
}

/// First positions of the smallest and the largest of n > 0 elements; 64-bit
/// integers are compared as integers.
static std::pair<int, int> extremePositions(ElementType type,
                                            const std::byte *data,
                                            const double *values, int n) {
  if (type.isInteger() && type.bits == 64)
    return dispatch<TypeList<int64_t, uint64_t>>(type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      const T *typed = reinterpret_cast<const T *>(data);
      return std::pair(
          static_cast<int>(std::min_element(typed, typed + n) - typed),
          static_cast<int>(std::max_element(typed, typed + n) - typed));
    });
  double largest = largestOf(values, n), smallest = smallestOf(values, n);
  return {static_cast<int>(std::find(values, values + n, smallest) - values),
          static_cast<int>(std::find(values, values + n, largest) - values)};
}

static bool less(ElementType type, const ExtremeElement &a,
                 const ExtremeElement &b) {
  if (!type.isInteger() || type.bits != 64)
    return a.value < b.value;
  uint64_t x, y;
  std::memcpy(&x, a.element.data(), 8);
  std::memcpy(&y, b.element.data(), 8);
  return type.isSigned() ? static_cast<int64_t>(x) < static_cast<int64_t>(y)
                         : x < y;
}

/// Counts non-finite elements and moves the others (values and bytes) to the
/// front; returns their number.
int TensorStatistics::removeNonFinite(Block &block, int n) {
  int64_t bytes = type_.storageBytes();
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    double x = block.values[i];
    if (x - x != 0) {
      nan_ += x != x;
      plusInf_ += x > 0;
      minusInf_ += x < 0;
      continue;
    }
    block.positions[kept] = i;
    std::memcpy(block.bytes + kept * bytes, block.elements + i * bytes, bytes);
    block.values[kept++] = x;
  }
  block.compacted = kept < n;
  if (block.compacted)
    block.elements = block.bytes;
  return kept;
}

void TensorStatistics::addExtremes(const Block &block, int n,
                                   int64_t firstIndex) {
  bool wide = type_.isInteger() && type_.bits == 64;
  bool maybe = wide || smallest_.index < 0 ||
               smallestOf(block.values, n) < smallest_.value ||
               largestOf(block.values, n) > largest_.value;
  if (!maybe)
    return;
  auto [low, high] = extremePositions(type_, block.elements, block.values, n);
  auto consider = [&](int i, bool smallest) {
    ExtremeElement candidate{firstIndex +
                                 (block.compacted ? block.positions[i] : i),
                             block.values[i],
                             {}};
    std::memcpy(candidate.element.data(),
                block.elements + i * type_.storageBytes(),
                type_.storageBytes());
    ExtremeElement &best = smallest ? smallest_ : largest_;
    if (best.index < 0 || (smallest ? less(type_, candidate, best)
                                    : less(type_, best, candidate)))
      best = candidate;
  };
  consider(low, true);
  consider(high, false);
}

void TensorStatistics::addBlock(const std::byte *data, int n,
                                int64_t firstIndex) {
  Block block;
  block.elements = data;
  decode(type_, data, n, block.values);
  double minNormalValue = type_.isFloat() ? minNormal(type_.format) : 0;
  OneSums sums;
  sumOne(block.values, n, minNormalValue, sums);
  count_ += n;
  if (!(sums.squares < std::numeric_limits<double>::infinity())) {
    n = removeNonFinite(block, n);
    if (n == 0)
      return;
    sumOne(block.values, n, minNormalValue, sums);
  }
  double blockMean = sums.sum / n;
  double deviations = sumDeviations(block.values, n, blockMean);
  double before = static_cast<double>(finite_),
         delta = finite_ == 0 ? 0 : blockMean - mean_;
  finite_ += n;
  auto after = static_cast<double>(finite_);
  mean_ = before == 0 ? blockMean : mean_ + delta * (n / after);
  deviations_.add(deviations);
  deviations_.add(delta * delta * (before * n / after));
  squares_.add(sums.squares);
  zeros_ += sums.zeros;
  subnormals_ += sums.subnormals;
  alignas(64) int32_t bins[kPairBlock];
  if (hasExactBins(type_))
    fillExactBins(reinterpret_cast<const uint16_t *>(block.elements), n,
                  type_.isFloat(), type_.isSigned() ? 0x8000 : 0, bins);
  else
    fillBins(block.values, n, bins);
  countBins(bins, static_cast<size_t>(n));
  addExtremes(block, n, firstIndex);
}

void TensorStatistics::countBins(const int32_t *bins, size_t n) {
  if (histogram_.empty() && few_.size() + n <= kFew) {
    few_.insert(few_.end(), bins, bins + n);
    return;
  }
  makeHistogram();
  for (size_t i = 0; i < n; ++i)
    ++histogram_[static_cast<size_t>(bins[i])];
}

void TensorStatistics::makeHistogram() {
  if (!histogram_.empty())
    return;
  histogram_.resize(kHistogramSize + 1);
  for (int32_t bin : few_)
    ++histogram_[static_cast<size_t>(bin)];
  few_ = {};
}

void TensorStatistics::dropQuantiles() {
  few_ = {};
  histogram_ = {};
}

void TensorStatistics::accumulate(const void *data, int64_t n,
                                  int64_t firstIndex) {
  const auto *bytes = static_cast<const std::byte *>(data);
  for (int64_t first = 0; first < n; first += kPairBlock)
    addBlock(bytes + first * type_.storageBytes(),
             static_cast<int>(std::min<int64_t>(kPairBlock, n - first)),
             firstIndex + first);
}

void TensorStatistics::merge(const TensorStatistics &later) {
  if (later.count_ == 0)
    return;
  if (later.finite_ > 0) {
    auto a = static_cast<double>(finite_),
         b = static_cast<double>(later.finite_);
    double delta = finite_ == 0 ? 0 : later.mean_ - mean_;
    mean_ = finite_ == 0 ? later.mean_ : mean_ + delta * (b / (a + b));
    deviations_.add(later.deviations_);
    deviations_.add(delta * delta * (a * b / (a + b)));
    if (smallest_.index < 0 || less(type_, later.smallest_, smallest_))
      smallest_ = later.smallest_;
    if (largest_.index < 0 || less(type_, largest_, later.largest_))
      largest_ = later.largest_;
  }
  squares_.add(later.squares_);
  count_ += later.count_;
  finite_ += later.finite_;
  nan_ += later.nan_;
  plusInf_ += later.plusInf_;
  minusInf_ += later.minusInf_;
  zeros_ += later.zeros_;
  subnormals_ += later.subnormals_;
  if (later.histogram_.empty())
    return countBins(later.few_.data(), later.few_.size());
  makeHistogram();
  for (size_t bin = 0; bin < later.histogram_.size(); ++bin)
    histogram_[bin] += later.histogram_[bin];
}

double TensorStatistics::standardDeviation() const {
  return std::sqrt(deviations_.value() / static_cast<double>(finite_));
}

double TensorStatistics::norm() const {
  return finite_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : std::sqrt(squares_.value());
}

double TensorStatistics::rms() const {
  return std::sqrt(squares_.value() / static_cast<double>(finite_));
}

double TensorStatistics::quantile(double q) const {
  if (finite_ == 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (q <= 0)
    return smallest_.value;
  if (q >= 1)
    return largest_.value;
  auto needed =
      static_cast<int64_t>(std::ceil(q * static_cast<double>(finite_)));
  int64_t seen = 0;
  size_t bin = 0;
  if (histogram_.empty()) {
    std::vector<int32_t> sorted = few_;
    auto at = sorted.begin() + (needed - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    bin = static_cast<size_t>(*at);
  }
  while (bin + 1 < histogram_.size() && seen + histogram_[bin] < needed)
    seen += histogram_[bin++];
  return std::clamp(binValue(type_, static_cast<int>(bin)), smallest_.value,
                    largest_.value);
}

TensorStatistics statisticsOf(ElementType type, const void *data, int64_t n,
                              ThreadPool *pool) {
  constexpr int64_t kChunk = int64_t{1} << 20,
                    kWave = 32; // a wave's histograms take 16 MiB
  const auto *bytes = static_cast<const std::byte *>(data);
  TensorStatistics total(type);
  for (int64_t waveFirst = 0; waveFirst < n; waveFirst += kWave * kChunk) {
    int64_t chunks = std::min(kWave, (n - waveFirst + kChunk - 1) / kChunk);
    std::vector<TensorStatistics> parts(static_cast<size_t>(chunks),
                                        TensorStatistics(type));
    auto run = [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        int64_t first = waveFirst + c * kChunk;
        parts[c].accumulate(bytes + first * type.storageBytes(),
                            std::min(kChunk, n - first), first);
      }
    };
    if (pool && chunks > 1)
      pool->parallelFor(chunks, 1, run);
    else
      run(0, chunks);
    for (const TensorStatistics &part : parts)
      total.merge(part);
  }
  return total;
}

} // namespace assay::numerics
