// One-tensor statistics for `summary`: blocks are decoded to f64, non-finite
// elements counted and taken out, the rest summed in eight lanes
// (PairKernelLoops.inc), block means and deviations combined by Chan's formula.
#include "assay/numerics/Statistics.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairBlock.h"
#include "assay/support/ThreadPool.h"

#include <cstring>

namespace assay::numerics {

using namespace detail;

static constexpr int kHistogramSize = 1 << 16;

/// Bins in order of value: bin 0x8000 is zero, positive codes above, negative
/// codes below.
static int binOf(double x) {
  float clipped = static_cast<float>(
      std::clamp(x, -double(std::numeric_limits<float>::max()),
                 double(std::numeric_limits<float>::max())));
  auto upper = static_cast<int>(std::bit_cast<uint32_t>(clipped) >> 16);
  return (upper & 0x8000) ? 0x8000 - (upper & 0x7FFF) : 0x8000 + upper;
}

static double binValue(int bin) {
  int upper = bin >= 0x8000 ? bin - 0x8000 : (0x8000 - bin) | 0x8000;
  return std::bit_cast<float>(static_cast<uint32_t>(upper) << 16);
}

/// Decodes n elements; complex ones to moduli.
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
/// integers by their own order.
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

void TensorStatistics::addBlock(const std::byte *data, int n,
                                int64_t firstIndex) {
  alignas(64) double values[kPairBlock];
  alignas(64) std::byte kept[kPairBlock * 16];
  int64_t positions[kPairBlock];
  int64_t bytes = type_.storageBytes();
  decode(type_, data, n, values);
  const std::byte *elements = data;
  int m = n;
  if (type_.isFloat() || type_.isComplex()) {
    m = 0;
    for (int i = 0; i < n; ++i) {
      double x = values[i];
      if (x - x == 0) {
        positions[m] = i;
        values[m++] = x;
        continue;
      }
      nan_ += x != x;
      plusInf_ += x > 0;
      minusInf_ += x < 0;
    }
    for (int i = 0; m < n && i < m; ++i)
      std::memcpy(kept + i * bytes, data + positions[i] * bytes, bytes);
    elements = m < n ? kept : data;
  }
  count_ += n;
  if (m == 0)
    return;
  double minNormalValue = type_.isFloat() ? minNormal(type_.format) : 0;
  OneSums sums;
  sumOne(values, m, minNormalValue, sums);
  double blockMean = sums.sum / m;
  double deviations = sumDeviations(values, m, blockMean);
  double before = static_cast<double>(finite_),
         delta = finite_ == 0 ? 0 : blockMean - mean_;
  finite_ += m;
  auto after = static_cast<double>(finite_);
  mean_ = before == 0 ? blockMean : mean_ + delta * (m / after);
  deviations_.add(deviations);
  deviations_.add(delta * delta * (before * m / after));
  squares_.add(sums.squares);
  zeros_ += sums.zeros;
  subnormals_ += sums.subnormals;
  for (int i = 0; i < m; ++i)
    ++histogram_[binOf(values[i])];
  auto [low, high] = extremePositions(type_, elements, values, m);
  auto consider = [&](int i, bool smallest) {
    ExtremeElement candidate{firstIndex + (m < n ? positions[i] : i),
                             values[i]};
    std::memcpy(candidate.element.data(), elements + i * bytes, bytes);
    ExtremeElement &kept = smallest ? smallest_ : largest_;
    if (kept.index < 0 || (smallest ? less(type_, candidate, kept)
                                    : less(type_, kept, candidate)))
      kept = candidate;
  };
  consider(low, true);
  consider(high, false);
}

void TensorStatistics::accumulate(const void *data, int64_t n,
                                  int64_t firstIndex) {
  if (n > 0 && histogram_.empty())
    histogram_.resize(kHistogramSize + 1);
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
  if (histogram_.empty())
    histogram_.resize(kHistogramSize + 1);
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
  while (bin + 1 < histogram_.size() && seen + histogram_[bin] < needed)
    seen += histogram_[bin++];
  return std::clamp(binValue(static_cast<int>(bin)), smallest_.value,
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
