// One result against the truth, element by element, in blocks that the cache
// holds. Elements without a bound are left open here (ProgramJudge.cpp
// continues with them).
#include "assay/judge/Types.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;

static void addWorst(Verdict &verdict, WorstPoint point) {
  auto key = [](const WorstPoint &p) {
    return std::isfinite(p.error) ? (p.bound > 0 ? p.error / p.bound : 1e300)
                                  : 1e301;
  };
  auto after = [&](const WorstPoint &x, const WorstPoint &y) {
    return key(x) > key(y);
  };
  verdict.worst.insert(std::upper_bound(verdict.worst.begin(),
                                        verdict.worst.end(), point, after),
                       point);
  if (verdict.worst.size() > kWorstPoints)
    verdict.worst.pop_back();
}

namespace {
/// One number of the exact result, in two doubles (binary128 beside f64).
struct Exact {
  double high, low;
};
} // namespace

/// The largest finite value plus half its unit: an exact value beyond it may
/// become infinite.
static double overflowThreshold(ElementType type) {
  numerics::FormatInfo info = numerics::formatInfo(type.format);
  return std::ldexp(2.0 - std::ldexp(1.0, -info.mantissaBits - 1),
                    info.maxExponent());
}

/// Error of one part; NaN: it cannot be told. `before`: what is allowed before the
/// last rounding, which makes no infinity of a number below the threshold.
static double partError(double got, Exact exact, double allowed, double before,
                        double threshold) {
  if (std::isinf(allowed))
    return NAN;
  if (std::isnan(exact.high))
    return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got))
    return INFINITY;
  if (std::isinf(exact.high))
    return got == exact.high ? 0 : INFINITY;
  if (std::isinf(got))
    return std::fabs(exact.high) + before >= threshold &&
                   std::signbit(got) == std::signbit(exact.high)
               ? 0
               : INFINITY;
  return std::fabs((got - exact.high) - exact.low);
}

/// Elements that are judged together.
static constexpr int64_t kBlock = 1024;

/// The low halves of some exact numbers: what binary128 has beyond f64.
static void lowHalves(const Tensor &shadow, int64_t from, int64_t count,
                      const double *high, double *low) {
  bool isQuad = shadow.elementType().isFloat() &&
                shadow.elementType().format == FloatFormat::F128;
  for (int64_t i = 0; i < count; ++i) {
    low[i] = 0;
    if (!isQuad || !std::isfinite(high[i]))
      continue;
    __float128 wide;
    std::memcpy(&wide,
                shadow.bytes() + (shadow.isSplat() ? 0 : from + i) *
                                     static_cast<int64_t>(sizeof wide),
                sizeof wide);
    low[i] = static_cast<double>(wide - high[i]);
  }
}

namespace {
/// One result of floats.
class FloatJudge {
public:
  FloatJudge(const ProgramTruth &truth, size_t result, const void *bytes)
      : errors_(truth.errors[result]),
        ties_(result < truth.ties.size() ? truth.ties[result] : nullptr),
        value_(truth.results[result]),
        type_(value_.tensor().elementType()), parts_(type_.isComplex() ? 2 : 1),
        threshold_(overflowThreshold(type_)), bytes_(bytes),
        asksTies_(truth.demands.definedOnly &&
                  numerics::formatInfo(type_.format).bits <= 16 &&
                  parts_ == 1) {}

  /// Adds elements [begin, end) to `verdict`, in their order.
  void judge(int64_t begin, int64_t end, Verdict &verdict) const;

private:
  struct Block {
    double got[2 * kBlock], exact[2 * kBlock], low[2 * kBlock],
        own[2 * kBlock]; ///< own: the reference's rounded value
  };
  /// Whether a narrow float may not hold the value: it is then saturated, or
  /// becomes the format's substitute.
  bool leavesRange(double exact, double allowed) const {
    return isNarrowFloat(type_) && std::isfinite(exact) &&
           std::isfinite(allowed) &&
           std::fabs(exact) + allowed > maxValue(type_);
  }
  /// Whether a tie was rounded to the odd number. Half way between two numbers
  /// of the type, where a single rounding is allowed, IEEE 754 chooses the even
  /// one, as the reference does. Asked for by data with ties. (In wide types
  /// the exact number may itself be rounded.)
  bool breaksTie(double exact, double own, double got, double allowed) const {
    return asksTies_ && got != own && allowed == halfUlp(exact, type_) &&
           std::isfinite(own) && std::fabs(exact - own) == allowed &&
           std::fabs(exact - got) == allowed;
  }
  void element(const Block &block, int64_t at, int64_t index, double allowed,
               Verdict &verdict) const;

  /// Whether an element that was rounded from half way is on the other side.
  bool breaksFormerTie(int64_t index, double exact, double own,
                       double got) const {
    return ties_ && (*ties_)[static_cast<size_t>(index)] > 0 &&
           (got - exact) * (own - exact) < 0 &&
           std::fabs(got - exact) > 0.5 * std::fabs(own - exact);
  }

  const Errors &errors_;
  const Errors ties_;
  const Value &value_;
  ElementType type_;
  int64_t parts_;
  double threshold_;
  const void *bytes_;
  bool asksTies_;
};
} // namespace

void FloatJudge::element(const Block &block, int64_t at, int64_t index,
                         double allowed, Verdict &verdict) const {
  bool failed = false, open = false;
  WorstPoint point;
  for (int64_t part = at * parts_; part < (at + 1) * parts_; ++part) {
    double got = block.got[part], own = block.own[part];
    // For values that the type holds exactly, or that are beyond its range, the
    // reference's own value is the right one.
    bool same = got == own || (std::isnan(got) && std::isnan(own));
    if (same && (allowed == 0 || !std::isfinite(own)))
      continue;
    double before =
        std::max(0.0, allowed - halfUlp(std::fabs(block.exact[part]), type_));
    if (leavesRange(block.exact[part], before) &&
        mayStore(type_, roundTo(type_, block.exact[part] - before),
                 roundTo(type_, block.exact[part] + before), got))
      continue;
    double error = partError(got, {block.exact[part], block.low[part]}, allowed,
                             before, threshold_);
    if (std::isnan(error)) {
      open = true;
      continue;
    }
    double fraction = allowed > 0 ? error / allowed : error > 0 ? INFINITY : 0;
    if (error <= allowed * (1 + 1e-9) &&
        !breaksTie(block.exact[part], own, got, allowed) &&
        !breaksFormerTie(index, block.exact[part], own, got)) {
      verdict.worstFraction =
          std::max(verdict.worstFraction, std::min(fraction, 1.0));
      continue;
    }
    failed = true;
    if (point.error <= error)
      point = {index, got, block.exact[part], error, allowed, 0, true};
  }
  verdict.undecided += open;
  if (!failed)
    return;
  ++verdict.failures;
  if (verdict.failing.size() < kPatternPoints)
    verdict.failing.push_back(index);
  addWorst(verdict, point);
}

void FloatJudge::judge(int64_t begin, int64_t end, Verdict &verdict) const {
  Block block;
  const Tensor &shadow = value_.shadowOrTensor();
  for (int64_t from = begin; from < end; from += kBlock) {
    int64_t count = std::min(end - from, kBlock);
    numerics::convertArray(type_,
                           static_cast<const std::byte *>(bytes_) +
                               from * type_.storageBytes(),
                           wideType(type_), block.got, count);
    wideElements(shadow, from, count, block.exact);
    wideElements(value_.tensor(), from, count, block.own);
    lowHalves(shadow, from, count * parts_, block.exact, block.low);
    for (int64_t i = 0; i < count; ++i)
      element(block, i, from + i,
              errors_ ? (*errors_)[static_cast<size_t>(from + i)] : 0, verdict);
  }
}

/// Adds a later range's verdict.
static void append(Verdict &verdict, const Verdict &more) {
  verdict.failures += more.failures;
  verdict.undecided += more.undecided;
  verdict.worstFraction = std::max(verdict.worstFraction, more.worstFraction);
  size_t room = kPatternPoints - verdict.failing.size();
  llvm::append_range(verdict.failing,
                     llvm::ArrayRef(more.failing).take_front(room));
  for (const WorstPoint &point : more.worst)
    addWorst(verdict, point);
}

static Verdict judgeFloats(const ProgramTruth &truth, size_t result,
                           const void *bytes, ThreadPool *pool) {
  FloatJudge judge(truth, result, bytes);
  Verdict verdict;
  verdict.elements = truth.results[result].tensor().size();
  if (!pool) {
    judge.judge(0, verdict.elements, verdict);
    return verdict;
  }
  std::mutex alone;
  std::map<int64_t, Verdict> ranges; // by their first element
  pool->parallelFor(verdict.elements, 16 * kBlock,
                    [&](int64_t begin, int64_t end) {
                      Verdict own;
                      judge.judge(begin, end, own);
                      std::lock_guard<std::mutex> lock(alone);
                      ranges[begin] = std::move(own);
                    });
  for (const auto &[begin, own] : ranges)
    append(verdict, own);
  return verdict;
}

Verdict judge::judgeResult(const ProgramTruth &truth, size_t result,
                           const void *bytes, ThreadPool *pool) {
  const Tensor &tensor = truth.results[result].tensor();
  if (isFloating(truth.results[result]))
    return judgeFloats(truth, result, bytes, pool);
  Verdict verdict;
  verdict.elements = tensor.size();
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense) {
    llvm::consumeError(dense.takeError());
    verdict.undecided = verdict.elements;
    return verdict;
  }
  auto width = static_cast<size_t>(tensor.elementType().storageBytes());
  const auto *got = static_cast<const std::byte *>(bytes);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const std::byte *mine = got + static_cast<size_t>(i) * width,
                    *due = dense->bytes() + static_cast<size_t>(i) * width;
    if (truth.errors[result] &&
        (*truth.errors[result])[static_cast<size_t>(i)] > 0) {
      ++verdict.undecided;
      continue;
    }
    if (std::memcmp(mine, due, width) == 0)
      continue;
    double values[2];
    numerics::toDoubles(tensor.elementType(), mine, values, 1);
    numerics::toDoubles(tensor.elementType(), due, values + 1, 1);
    ++verdict.failures;
    if (verdict.failing.size() < kPatternPoints)
      verdict.failing.push_back(i);
    addWorst(verdict, {i, values[0], values[1],
                       std::fabs(values[0] - values[1]), 0, 0, true});
  }
  return verdict;
}
