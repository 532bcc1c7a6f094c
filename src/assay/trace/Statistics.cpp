// A dataset in windows through the one-tensor pass of numerics/Statistics.h,
// which all commands share, together with the hash. That pass has a histogram
// that is exact for 16-bit types; wider types keep a sample of values here,
// from which the percentiles are selected.
#include "assay/trace/Statistics.h"
#include "assay/numerics/Convert.h"
#include "assay/trace/HashStream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::trace {

using tensor::ElementType;

static constexpr int64_t kWindow = 1 << 18; // elements
static constexpr int64_t kSample = 1 << 22;

namespace {
/// Folds windows of values into one TensorFigures.
class Folder {
public:
  Folder(ElementType type, int64_t count)
      : type_(type), wide_(type.storageBytes() > 2),
        stride_(std::max<int64_t>(1, (count + kSample - 1) / kSample)) {
    result_.values = numerics::TensorStatistics(type);
    result_.sampled = wide_ && stride_ > 1;
    if (wide_)
      sample_.reserve(static_cast<size_t>(count / stride_ + 1));
  }

  void add(const std::byte *data, int64_t n) {
    hash_.add(data, n * type_.storageBytes());
    result_.values.accumulate(data, n, seen_);
    if (wide_)
      addToSample(data, n);
    seen_ += n;
  }

  TensorFigures finish() {
    result_.hash = hash_.hex();
    auto begin = sample_.begin();
    auto n = static_cast<double>(sample_.size());
    for (size_t i = 0; i < kPercents.size(); ++i) {
      double share = kPercents[i] / 100;
      if (!wide_) {
        result_.percentiles[i] = result_.values.quantile(share);
      } else if (!sample_.empty()) {
        auto at =
            sample_.begin() +
            static_cast<ptrdiff_t>(std::clamp(std::ceil(share * n), 1.0, n)) -
            1;
        std::nth_element(begin, at, sample_.end());
        begin = at; // the values before it are smaller
        result_.percentiles[i] = *at;
      }
    }
    result_.values.dropQuantiles(); // a summary has a result per tensor
    return std::move(result_);
  }

private:
  void addToSample(const std::byte *data, int64_t n) {
    int64_t parts = type_.isComplex() ? 2 : 1;
    values_.resize(static_cast<size_t>(parts * n));
    numerics::toDoubles(parts == 2 ? type_.part() : type_, data, values_.data(),
                        parts * n);
    for (; nextSample_ < seen_ + n; nextSample_ += stride_) {
      auto at = static_cast<size_t>(parts * (nextSample_ - seen_));
      double value =
          parts == 2 ? std::hypot(values_[at], values_[at + 1]) : values_[at];
      if (std::isfinite(value))
        sample_.push_back(value);
    }
  }

  ElementType type_;
  bool wide_;
  TensorFigures result_;
  HashStream hash_;
  int64_t stride_, seen_ = 0, nextSample_ = 0;
  std::vector<double> values_, sample_;
};
} // namespace

llvm::Expected<TensorFigures> figuresOf(const formats::Hdf5Reader &file,
                                        const formats::Hdf5Dataset &dataset) {
  int64_t width = dataset.type.element.storageBytes(),
          count = dataset.sizeBytes / width;
  Folder folder(dataset.type.element, count);
  std::vector<std::byte> window(
      static_cast<size_t>(std::min(kWindow, count) * width));
  for (int64_t at = 0; at < count; at += kWindow) {
    int64_t n = std::min(kWindow, count - at);
    if (llvm::Error error = file.read(dataset, at, n, window.data()))
      return error;
    folder.add(window.data(), n);
  }
  return folder.finish();
}

TensorFigures figuresOf(const tensor::Tensor &tensor) {
  Folder folder(tensor.elementType(), tensor.size());
  int64_t width = tensor.elementType().storageBytes();
  for (int64_t at = 0; at < tensor.size(); at += kWindow)
    folder.add(tensor.bytes() + at * width,
               std::min(kWindow, tensor.size() - at));
  return folder.finish();
}

static std::string boundText(const TensorFigures &figures,
                             const numerics::ExtremeElement &extreme,
                             int digits) {
  ElementType type = figures.values.type();
  if (extreme.index < 0)
    return "";
  if (!type.isInteger())
    return llvm::formatv("{0}", llvm::format("%.*g", digits, extreme.value))
        .str();
  if (type.bits != 64)
    return std::to_string(static_cast<int64_t>(extreme.value));
  int64_t exact;
  std::memcpy(&exact, extreme.element.data(), sizeof exact);
  return type.isSigned() ? std::to_string(exact)
                         : std::to_string(static_cast<uint64_t>(exact));
}

std::string minText(const TensorFigures &figures, int digits) {
  return boundText(figures, figures.values.smallest(), digits);
}

std::string maxText(const TensorFigures &figures, int digits) {
  return boundText(figures, figures.values.largest(), digits);
}

} // namespace assay::trace
