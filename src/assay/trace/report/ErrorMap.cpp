// One pass over both tensors by windows, then the elements around the largest
// error.
#include "assay/trace/report/ErrorMap.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/Ulp.h"
#include "assay/trace/CompareReport.h"
#include "llvm/Support/Base64.h"

#include <cmath>

namespace assay::trace {

using numerics::ElementType;
using formats::Hdf5Dataset;
using formats::Hdf5Reader;
namespace json = llvm::json;

namespace {

constexpr int64_t kCells = 96, kWindow = 9, kElements = 1 << 19, kRanges = 4096;
constexpr int kSmallestDecade = -12, kDecades = 16;

/// One side: elements as stored and as numbers (complex: first the real parts,
/// then the imaginary parts as further columns).
struct Side {
  const Hdf5Reader &file;
  const Hdf5Dataset &dataset;
  std::vector<std::byte> stored;
  std::vector<double> values;

  llvm::Error read(int64_t first, int64_t count) {
    ElementType type = dataset.type.element;
    stored.resize(static_cast<size_t>(count * type.storageBytes()));
    if (llvm::Error error = file.read(dataset, first, count, stored.data()))
      return error;
    int64_t parts = type.isComplex() ? 2 : 1;
    values.resize(static_cast<size_t>(parts * count));
    numerics::toDoubles(parts == 2 ? type.part() : type, stored.data(),
                        values.data(), parts * count);
    return llvm::Error::success();
  }
};

class Mapper {
public:
  Mapper(Side target, Side bench)
      : target_(std::move(target)), bench_(std::move(bench)) {
    const tensor::Shape &shape = target_.dataset.type.shape;
    width_ = target_.dataset.type.element.isComplex() ? 2 : 1;
    cols_ = shape.empty() ? 1 : shape.back();
    rows_ = 1;
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      rows_ *= shape[d];
    cellRows_ = std::clamp<int64_t>(rows_, 1, kCells);
    cellCols_ = std::clamp<int64_t>(cols_, 1, kCells);
    cells_.resize(static_cast<size_t>(cellRows_ * cellCols_));
    for (int64_t size : shape)
      along_.emplace_back(
          static_cast<size_t>(std::clamp<int64_t>(size, 1, kRanges)));
    comparesUlp_ =
        target_.dataset.type.element == bench_.dataset.type.element &&
        target_.dataset.type.element.isFloat();
  }

  llvm::Error run();
  llvm::Expected<json::Object> result();

private:
  void count(int64_t first, int64_t n);
  double countRow(int64_t first, int64_t i, int64_t n);
  void countAlong(int64_t row, double error);
  void countUlp(int64_t n);
  double errorOf(int64_t i) const;
  std::string bytes(llvm::ArrayRef<double> errors) const;
  json::Array along() const;
  json::Array distances() const;
  json::Array sizes() const;
  llvm::Expected<json::Object> window();

  Side target_, bench_;
  int64_t width_ = 1, rows_ = 1, cols_ = 1, cellRows_ = 1, cellCols_ = 1;
  bool comparesUlp_ = false;
  std::vector<double> cells_; ///< largest |t - b|; infinite: not comparable
  std::vector<std::vector<double>> along_; ///< the same for each index or range
  double largest_ = 0;
  int64_t worst_ = 0;
  bool worstIsFinite_ = true;
  std::array<int64_t, numerics::kUlpBuckets> ulp_{};
  std::array<int64_t, kDecades> decades_{};
  int64_t equal_ = 0, notComparable_ = 0;
};

} // namespace

// |t - b| of element i of the window; complex: the modulus; infinite when a
// NaN or Inf has no counterpart.
double Mapper::errorOf(int64_t i) const {
  std::array<double, 2> difference{};
  for (int64_t part = 0; part < width_; ++part) {
    auto at = static_cast<size_t>(i * width_ + part);
    double t = target_.values[at], b = bench_.values[at];
    if (t == b || (std::isnan(t) && std::isnan(b)))
      continue;
    if (!std::isfinite(t - b))
      return INFINITY;
    difference[static_cast<size_t>(part)] = t - b;
  }
  return width_ == 1 ? std::fabs(difference[0])
                     : std::hypot(difference[0], difference[1]);
}

void Mapper::countUlp(int64_t n) {
  int64_t bytes = target_.dataset.type.element.storageBytes();
  for (int64_t i = 0; i < n; ++i)
    ++ulp_[static_cast<size_t>(numerics::ulpBucket(numerics::ulpDistance(
        target_.dataset.type.element, target_.stored.data() + i * bytes,
        bench_.stored.data() + i * bytes)))];
}

/// Counts elements i to i + n of the window, which are in one row. Returns the
/// largest error.
double Mapper::countRow(int64_t first, int64_t i, int64_t n) {
  int64_t row = (first + i) / cols_, begin = (first + i) % cols_;
  double *cells = cells_.data() + row * cellRows_ / rows_ * cellCols_;
  auto ranges = static_cast<int64_t>(along_.empty() ? 0 : along_.back().size());
  double most = 0;
  for (int64_t col = begin; col < begin + n; ++col) {
    double error = errorOf(i + col - begin);
    if (error == 0) {
      ++equal_;
      continue;
    }
    most = std::max(most, error);
    double &cell = cells[col * cellCols_ / cols_];
    cell = std::max(cell, error);
    if (ranges > 0) {
      double &range = along_.back()[static_cast<size_t>(col * ranges / cols_)];
      range = std::max(range, error);
    }
    if (std::isinf(error)) {
      ++notComparable_;
      if (worstIsFinite_)
        worst_ = row * cols_ + col;
      worstIsFinite_ = false;
      continue;
    }
    ++decades_[static_cast<size_t>(std::clamp(
        static_cast<int>(std::floor(std::log10(error))) - kSmallestDecade, 0,
        kDecades - 1))];
    if (error > largest_) {
      largest_ = error;
      worst_ = worstIsFinite_ ? row * cols_ + col : worst_;
    }
  }
  return most;
}

/// Notes a row's largest error for each of the dimensions that make up its
/// number.
void Mapper::countAlong(int64_t row, double error) {
  const tensor::Shape &shape = target_.dataset.type.shape;
  for (size_t d = shape.size() - 1; d-- > 0; row /= shape[d]) {
    auto ranges = static_cast<int64_t>(along_[d].size());
    double &range =
        along_[d][static_cast<size_t>(row % shape[d] * ranges / shape[d])];
    range = std::max(range, error);
  }
}

void Mapper::count(int64_t first, int64_t n) {
  for (int64_t i = 0; i < n;) {
    int64_t segment = std::min(n - i, cols_ - (first + i) % cols_);
    double most = countRow(first, i, segment);
    if (most > 0 && along_.size() > 1)
      countAlong((first + i) / cols_, most);
    i += segment;
  }
}

llvm::Error Mapper::run() {
  int64_t all = rows_ * cols_;
  for (int64_t first = 0; first < all; first += kElements) {
    int64_t n = std::min(kElements, all - first);
    if (llvm::Error error = target_.read(first, n))
      return error;
    if (llvm::Error error = bench_.read(first, n))
      return error;
    count(first, n);
    if (comparesUlp_)
      countUlp(n);
  }
  return llvm::Error::success();
}

std::string Mapper::bytes(llvm::ArrayRef<double> errors) const {
  std::string bytes;
  for (double cell : errors) {
    double steps = cell > 0 && std::isfinite(cell)
                       ? 254 + 8 * std::log2(cell / largest_)
                       : 0;
    bytes += static_cast<char>(cell == 0          ? 0
                               : std::isinf(cell) ? 255
                                                  : std::max(1.0, steps));
  }
  return bytes;
}

json::Array Mapper::along() const {
  json::Array dimensions;
  for (size_t d = 0; d < along_.size(); ++d)
    dimensions.push_back(
        json::Object{{"size", target_.dataset.type.shape[d]},
                     {"errors", llvm::encodeBase64(bytes(along_[d]))}});
  return dimensions;
}

// Powers of two: 0, 1, 2, 3 to 4, 5 to 8, ...; empty ones at the end left out.
json::Array Mapper::distances() const {
  json::Array bars;
  if (!comparesUlp_)
    return bars;
  std::array<int64_t, 66> powers{};
  for (size_t bucket = 0; bucket < ulp_.size(); ++bucket) {
    double floor = numerics::ulpBucketFloor(static_cast<int>(bucket));
    powers[floor < 1
               ? 0
               : std::min<size_t>(65, static_cast<size_t>(std::ceil(
                                          std::log2(std::max(1.0, floor)))) +
                                          1)] += ulp_[bucket];
  }
  size_t last = powers.size();
  while (last > 1 && powers[last - 1] == 0)
    --last;
  for (size_t i = 0; i < last; ++i) {
    std::string name = i == 0   ? "0"
                       : i == 1 ? "1"
                       : i > 63
                           ? "not comparable"
                           : llvm::formatv("to {0:e0}", std::exp2(i - 1)).str();
    if (i > 1 && i < 21)
      name = "to " + std::to_string(int64_t{1} << (i - 1));
    bars.push_back(json::Object{{"name", name}, {"count", powers[i]}});
  }
  return bars;
}

json::Array Mapper::sizes() const {
  json::Array bars{json::Object{{"name", "equal"}, {"count", equal_}}};
  for (int i = 0; i < kDecades; ++i)
    if (decades_[static_cast<size_t>(i)] > 0)
      bars.push_back(json::Object{
          {"name", llvm::formatv("1e{0} and more", i + kSmallestDecade).str()},
          {"count", decades_[static_cast<size_t>(i)]}});
  if (notComparable_)
    bars.push_back(
        json::Object{{"name", "NaN or Inf"}, {"count", notComparable_}});
  return bars;
}

static json::Array numbers(llvm::ArrayRef<double> values, int64_t stride) {
  json::Array array;
  for (size_t i = 0; i < values.size(); i += static_cast<size_t>(stride))
    array.push_back(jsonNumber(values[i]));
  return array;
}

llvm::Expected<json::Object> Mapper::window() {
  int64_t row = worst_ / cols_, col = worst_ % cols_;
  int64_t height = std::min(rows_, kWindow), width = std::min(cols_, kWindow);
  int64_t top = std::clamp<int64_t>(row - kWindow / 2, 0, rows_ - height),
          left = std::clamp<int64_t>(col - kWindow / 2, 0, cols_ - width);
  json::Array target, bench;
  for (int64_t r = top; r < top + height; ++r) {
    for (Side *side : {&target_, &bench_})
      if (llvm::Error error = side->read(r * cols_ + left, width))
        return error;
    target.push_back(numbers(target_.values, width_));
    bench.push_back(numbers(bench_.values, width_));
  }
  return json::Object{{"row", top},
                      {"col", left},
                      {"largest", largest_},
                      {"target", std::move(target)},
                      {"bench", std::move(bench)}};
}

llvm::Expected<json::Object> Mapper::result() {
  json::Object object{{"rows", rows_},
                      {"cols", cols_},
                      {"cell_rows", cellRows_},
                      {"cell_cols", cellCols_},
                      {"cells", llvm::encodeBase64(bytes(cells_))},
                      {"along", along()},
                      {"largest", largest_},
                      {"ulp", distances()},
                      {"decades", sizes()}};
  if (rows_ * cols_ > 0) {
    llvm::Expected<json::Object> around = window();
    if (!around)
      return around.takeError();
    object["window"] = std::move(*around);
  }
  return object;
}

llvm::Expected<json::Object> mapErrors(const Hdf5Reader &target,
                                       const Hdf5Dataset &t,
                                       const Hdf5Reader &bench,
                                       const Hdf5Dataset &b) {
  if (t.type.shape != b.type.shape)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is {1}, '{2}' is {3}",
                     t.path, toString(t.type), b.path, toString(b.type));
  Mapper mapper({target, t, {}, {}}, {bench, b, {}, {}});
  if (llvm::Error error = mapper.run())
    return error;
  return mapper.result();
}

} // namespace assay::trace
