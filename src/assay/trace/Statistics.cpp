// One pass over a tensor in windows: each window is converted to f64,
// classified, and folded into running moments; blocks of a few thousand values
// take their mean first and the squares around it second, while they are in the
// first-level cache, so a large mean does not cancel a small deviation.
#include "assay/trace/Statistics.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/HashStream.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::trace {

using tensor::ElementType;

static constexpr int64_t kWindow = 1 << 18; // elements
static constexpr int64_t kBlock = 2048;
static constexpr int64_t kSample = 1 << 22;

namespace {
/// Folds windows of values into one TensorStatistics.
class Accumulator {
public:
  Accumulator(ElementType type, int64_t count)
      : type_(type), stride_((count + kSample - 1) / kSample) {
    result_.count = count;
    stride_ = std::max<int64_t>(stride_, 1);
    result_.sampled = stride_ > 1;
    sample_.reserve(static_cast<size_t>(count / stride_ + 1));
    if (type.isFloat())
      minNormal_ = numerics::minNormal(type.format);
    result_.min = std::numeric_limits<double>::infinity();
    result_.max = -result_.min;
  }

  void add(const std::byte *data, int64_t n) {
    hash_.add(data, n * type_.storageBytes());
    values_.resize(static_cast<size_t>(n));
    if (type_.isComplex())
      magnitudes(data, n);
    else
      numerics::toDoubles(type_, data, values_.data(), n);
    if (type_.isInteger())
      integerRange(data, n);
    for (int64_t at = 0; at < n; at += kBlock)
      block(values_.data() + at, std::min(kBlock, n - at));
    for (; nextSample_ < seen_ + n; nextSample_ += stride_)
      if (double value = values_[static_cast<size_t>(nextSample_ - seen_)];
          std::isfinite(value))
        sample_.push_back(value);
    seen_ += n;
  }

  TensorStatistics finish() {
    auto finite = static_cast<double>(result_.finite);
    result_.mean = mean_;
    result_.std = result_.finite ? std::sqrt(m2_ / finite) : 0;
    result_.norm = std::sqrt(squares_);
    for (size_t i = 0; i < kPercents.size() && !sample_.empty(); ++i) {
      auto n = static_cast<double>(sample_.size());
      auto rank = static_cast<ptrdiff_t>(
                      std::clamp(std::ceil(kPercents[i] / 100 * n), 1.0, n)) -
                  1;
      std::nth_element(sample_.begin(), sample_.begin() + rank, sample_.end());
      result_.percentiles[i] = sample_[static_cast<size_t>(rank)];
    }
    result_.hash = hash_.hex();
    return std::move(result_);
  }

private:
  void magnitudes(const std::byte *data, int64_t n) {
    parts_.resize(static_cast<size_t>(2 * n));
    numerics::toDoubles(type_.part(), data, parts_.data(), 2 * n);
    for (int64_t i = 0; i < n; ++i)
      values_[static_cast<size_t>(i)] =
          std::hypot(parts_[static_cast<size_t>(2 * i)],
                     parts_[static_cast<size_t>(2 * i + 1)]);
  }

  void integerRange(const std::byte *data, int64_t n) {
    wide_.resize(static_cast<size_t>(n));
    bool isSigned = type_.isSigned();
    numerics::convertArray(type_, data,
                           isSigned ? ElementType::integer(64)
                                    : ElementType::unsignedInteger(64),
                           wide_.data(), n);
    auto less = [isSigned](int64_t a, int64_t b) {
      return isSigned ? a < b
                      : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
    };
    auto [low, high] = std::minmax_element(wide_.begin(), wide_.end(), less);
    if (seen_ == 0 || less(*low, result_.exactMin))
      result_.exactMin = *low;
    if (seen_ == 0 || less(result_.exactMax, *high))
      result_.exactMax = *high;
  }

  void block(double *x, int64_t n) {
    int64_t nan = 0, positive = 0, negative = 0, zero = 0, subnormal = 0;
    double sum = 0, squares = 0, low = result_.min, high = result_.max;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; ++i) {
      double value = x[i], size = std::fabs(value);
      if (!(size <= std::numeric_limits<double>::max())) {
        nan += value != value;
        positive += value > 0;
        negative += value < 0;
        continue;
      }
      zero += value == 0;
      subnormal += size < minNormal_ && value != 0;
      low = std::min(low, value);
      high = std::max(high, value);
      sum += value;
      squares += value * value;
      scratch_[kept++] = value;
    }
    result_.nan += nan;
    result_.positiveInfinity += positive;
    result_.negativeInfinity += negative;
    result_.zero += zero;
    result_.subnormal += subnormal;
    result_.min = low;
    result_.max = high;
    squares_ += squares;
    if (kept == 0)
      return;
    double count = static_cast<double>(kept), mean = sum / count, m2 = 0;
    for (int64_t i = 0; i < kept; ++i)
      m2 += (scratch_[i] - mean) * (scratch_[i] - mean);
    double before = static_cast<double>(result_.finite), total = before + count,
           delta = mean - mean_;
    mean_ += delta * count / total;
    m2_ += m2 + delta * delta * before * count / total;
    result_.finite += kept;
  }

  ElementType type_;
  TensorStatistics result_;
  HashStream hash_;
  int64_t stride_, seen_ = 0, nextSample_ = 0;
  double minNormal_ = 0, mean_ = 0, m2_ = 0, squares_ = 0;
  std::vector<double> values_, parts_, sample_;
  std::vector<int64_t> wide_;
  double scratch_[kBlock];
};
} // namespace

llvm::Expected<TensorStatistics>
statisticsOf(const tensor::Hdf5Reader &file,
             const tensor::Hdf5Dataset &dataset) {
  int64_t width = dataset.type.element.storageBytes(),
          count = dataset.sizeBytes / width;
  Accumulator accumulator(dataset.type.element, count);
  std::vector<std::byte> window(
      static_cast<size_t>(std::min(kWindow, count) * width));
  for (int64_t at = 0; at < count; at += kWindow) {
    int64_t n = std::min(kWindow, count - at);
    if (llvm::Error error = file.read(dataset, at, n, window.data()))
      return error;
    accumulator.add(window.data(), n);
  }
  return accumulator.finish();
}

TensorStatistics statisticsOf(const tensor::Tensor &tensor) {
  Accumulator accumulator(tensor.elementType(), tensor.size());
  int64_t width = tensor.elementType().storageBytes();
  for (int64_t at = 0; at < tensor.size(); at += kWindow)
    accumulator.add(tensor.bytes() + at * width,
                    std::min(kWindow, tensor.size() - at));
  return accumulator.finish();
}

static std::string boundText(const TensorStatistics &statistics,
                             ElementType type, int digits, double real,
                             int64_t exact) {
  if (statistics.finite == 0)
    return "";
  if (type.isInteger())
    return type.isSigned() ? std::to_string(exact)
                           : std::to_string(static_cast<uint64_t>(exact));
  return llvm::formatv("{0}", llvm::format("%.*g", digits, real)).str();
}

std::string minText(const TensorStatistics &statistics, ElementType type,
                    int digits) {
  return boundText(statistics, type, digits, statistics.min,
                   statistics.exactMin);
}

std::string maxText(const TensorStatistics &statistics, ElementType type,
                    int digits) {
  return boundText(statistics, type, digits, statistics.max,
                   statistics.exactMax);
}

} // namespace assay::trace
