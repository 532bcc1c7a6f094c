// One pair of tensors. A window of both sides is read into the thread's buffers
// and goes through the fused pair pass (numerics/PairAccumulator.h) while it is
// in the cache. A tensor that fits one window is judged from the same buffers;
// a larger one is read a second time for the verdict, and only when the sums
// alone do not decide it.
#include "assay/trace/ComparePair.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

namespace assay::trace {

using numerics::ElementType;
using numerics::FloatFormat;
using numerics::PairAccumulator;
using formats::Hdf5Dataset;
using formats::Hdf5Reader;

static constexpr int64_t kWindowBytes = 256 << 10;

ElementType commonType(ElementType a, ElementType b) {
  if (a == b)
    return a;
  bool floats =
      (a.isFloat() && b.isFloat()) || (a.isComplex() && b.isComplex());
  if (floats) {
    int precisionA = numerics::formatInfo(a.format).precision(),
        precisionB = numerics::formatInfo(b.format).precision();
    return precisionA <= precisionB ? a : b;
  }
  auto whole = [](ElementType type) {
    return type.isBool() || type.isInteger();
  };
  if (whole(a) && whole(b))
    return ElementType::integer(64);
  if (a.isComplex() || b.isComplex())
    return ElementType::complex(FloatFormat::F64);
  return ElementType::floating(FloatFormat::F64);
}

/// Treats Inf on the side that was rounded to a narrower type as equal to the other's
/// largest finite number: both stand for a mask's finfo(dtype).min.
template <typename Bits>
static void matchEnds(std::byte *rounded, const std::byte *other,
                      ElementType type, int64_t n) {
  const double ends[2] = {HUGE_VAL, numerics::maxFinite(type.format)};
  Bits patterns[2];
  numerics::convertArray(ElementType::floating(FloatFormat::F64), ends, type,
                         patterns, 2);
  const Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  auto *mine = reinterpret_cast<Bits *>(rounded);
  const auto *theirs = reinterpret_cast<const Bits *>(other);
  for (int64_t i = 0; i < n; ++i)
    if ((mine[i] & ~sign) == patterns[0] &&
        theirs[i] == (patterns[1] | (mine[i] & sign)))
      mine[i] = theirs[i];
}

/// Turns an additive mask (0 or a large negative number), in f64, into one of
/// truth values (whether a place counts), where the other side's mask is one.
static void matchMask(std::byte *added, const std::byte *truths, int64_t n) {
  constexpr double kMasked = -1e4;
  auto *mine = reinterpret_cast<double *>(added);
  const auto *theirs = reinterpret_cast<const double *>(truths);
  for (int64_t i = 0; i < n; ++i)
    if (theirs[i] != 0 ? mine[i] == 0 : mine[i] <= kMasked)
      mine[i] = theirs[i];
}

/// Makes values equal that two types represent differently.
static void matchForms(std::byte *target, ElementType targetType,
                       std::byte *bench, ElementType benchType,
                       ElementType type, int64_t n) {
  if (targetType == benchType)
    return;
  if (targetType.isFloat() && benchType.isFloat()) {
    bool ofTarget = targetType != type;
    std::byte *rounded = ofTarget ? target : bench,
              *other = ofTarget ? bench : target;
    if (type.bits == 16)
      matchEnds<uint16_t>(rounded, other, type, n);
    else if (type.bits == 32)
      matchEnds<uint32_t>(rounded, other, type, n);
  } else if (targetType.isFloat() && benchType.isBool()) {
    matchMask(target, bench, n);
  } else if (targetType.isBool() && benchType.isFloat()) {
    matchMask(bench, target, n);
  }
}

namespace {
/// Reads windows of one pair in the common type.
struct PairSource {
  const Hdf5Reader &targetFile, &benchFile;
  const Hdf5Dataset &target, &bench;
  ElementType type;
  PairBuffers &buffers;
  std::optional<SampleView> samples = std::nullopt;
  std::optional<TensorPart> part = std::nullopt;
  std::optional<PaddingView> padding = std::nullopt;
  const MeanOfCalls *mean = nullptr;
  std::byte *targetData = nullptr, *benchData = nullptr;
  bool isOrdered = false, isCut = false;

  int64_t count() const {
    const Hdf5Dataset &whole = part && part->ofTarget ? bench : target;
    return whole.sizeBytes / whole.type.element.storageBytes();
  }
  int64_t window() const {
    int64_t width = std::max(target.type.element.storageBytes(),
                             bench.type.element.storageBytes());
    return kWindowBytes / width;
  }
  llvm::Error load(int64_t first, int64_t n) {
    llvm::Error error = loadSides(first, n);
    if (!error && mean)
      error = loadMean();
    if (!error)
      matchForms(targetData, target.type.element, benchData, bench.type.element,
                 type, n);
    return error;
  }

private:
  llvm::Error loadSides(int64_t first, int64_t n) {
    if (part)
      return loadPart(first, n);
    if (llvm::Error error = side(targetFile, target, first, n, buffers.target,
                                 buffers.targetWide, targetData))
      return error;
    if (!samples) {
      llvm::Error error = side(benchFile, bench, first, n, buffers.bench,
                               buffers.benchWide, benchData);
      if (!error && padding)
        hidePadding(first, n);
      return error;
    }
    if (llvm::Error error = order())
      return error;
    benchData = buffers.ordered.data() + first * type.storageBytes();
    return llvm::Error::success();
  }
  /// Sets both sides to 0 at positions without a token.
  void hidePadding(int64_t first, int64_t n) {
    int64_t width = type.storageBytes(), run = padding->run();
    for (int64_t at = 0, end = run - first % run; at < n;
         at = end, end += run) {
      if (padding->isKept(first + at))
        continue;
      auto bytes = static_cast<size_t>((std::min(end, n) - at) * width);
      std::memset(targetData + at * width, 0, bytes);
      std::memset(benchData + at * width, 0, bytes);
    }
  }
  /// The mean or the sum of what several calls give takes the place of one call's.
  llvm::Error loadMean() {
    // The whole decides which it is; gradients are the other one.
    const MeanOfCalls &ruling = mean->forward ? *mean->forward : *mean;
    llvm::Expected<double> whole = oneOf(!ruling.ofTarget, ruling.whole),
                           average = total(ruling, ruling.weights),
                           sum = total(ruling, {});
    if (!whole || !average || !sum)
      return llvm::joinErrors(
          whole.takeError(),
          llvm::joinErrors(average.takeError(), sum.takeError()));
    bool isSum = std::abs(*sum - *whole) < std::abs(*average - *whole);
    bool sums = mean->forward ? !isSum : isSum;
    llvm::Expected<double> value =
        total(*mean, sums ? llvm::ArrayRef<double>()
                          : llvm::ArrayRef<double>(mean->weights));
    if (!value)
      return value.takeError();
    buffers.ordered.resize(static_cast<size_t>(type.storageBytes()));
    numerics::convertArray(ElementType::floating(FloatFormat::F64),
                           reinterpret_cast<const std::byte *>(&*value), type,
                           buffers.ordered.data(), 1);
    (mean->ofTarget ? targetData : benchData) = buffers.ordered.data();
    return llvm::Error::success();
  }
  /// The sum of the calls' tensors, each with its weight if there are any.
  llvm::Expected<double> total(const MeanOfCalls &calls,
                               llvm::ArrayRef<double> weights) const {
    double sum = 0;
    for (const auto &[i, item] : llvm::enumerate(calls.items)) {
      llvm::Expected<double> value = oneOf(calls.ofTarget, item);
      if (!value)
        return value;
      sum += weights.empty() ? *value : weights[i] * *value;
    }
    return sum;
  }
  llvm::Expected<double> oneOf(bool ofTarget, int64_t item) const {
    const Hdf5Reader &file = ofTarget ? targetFile : benchFile;
    const Hdf5Dataset &dataset = file.datasets()[static_cast<size_t>(item)];
    std::vector<std::byte> raw(
        static_cast<size_t>(dataset.type.element.storageBytes()));
    if (llvm::Error error = file.read(dataset, 0, 1, raw.data()))
      return error;
    double value = 0;
    numerics::toDoubles(dataset.type.element, raw.data(), &value, 1);
    return value;
  }
  llvm::Error loadPart(int64_t first, int64_t n) {
    const Hdf5Dataset &whole = part->ofTarget ? target : bench;
    std::byte *&cut = part->ofTarget ? targetData : benchData;
    auto width = type.storageBytes();
    if (!isCut) {
      int64_t all = whole.sizeBytes / whole.type.element.storageBytes();
      if (llvm::Error error =
              side(part->ofTarget ? targetFile : benchFile, whole, 0, all,
                   buffers.bench, buffers.benchWide, cut))
        return error;
      buffers.ordered.resize(static_cast<size_t>(count() * width));
      part->cut(whole.type.shape, width, cut, buffers.ordered.data());
      isCut = true;
    }
    cut = buffers.ordered.data() + first * width;
    return part->ofTarget ? side(benchFile, bench, first, n, buffers.bench,
                                 buffers.benchWide, benchData)
                          : side(targetFile, target, first, n, buffers.target,
                                 buffers.targetWide, targetData);
  }

  /// Reads the whole bench tensor and puts its samples in the target's order.
  llvm::Error order() {
    if (isOrdered)
      return llvm::Error::success();
    if (llvm::Error error = side(benchFile, bench, 0, count(), buffers.bench,
                                 buffers.benchWide, benchData))
      return error;
    buffers.ordered.resize(static_cast<size_t>(count() * type.storageBytes()));
    putInOrder(*samples, type.storageBytes(), benchData,
               buffers.ordered.data());
    isOrdered = true;
    return llvm::Error::success();
  }
  llvm::Error side(const Hdf5Reader &file, const Hdf5Dataset &dataset,
                   int64_t first, int64_t n, std::vector<std::byte> &raw,
                   std::vector<std::byte> &wide, std::byte *&data) const {
    auto fit = [n](std::vector<std::byte> &buffer, ElementType element) {
      auto bytes = static_cast<size_t>(n * element.storageBytes());
      if (buffer.size() < bytes)
        buffer.resize(bytes);
    };
    fit(raw, dataset.type.element);
    data = raw.data();
    if (llvm::Error error = file.read(dataset, first, n, raw.data()))
      return error;
    if (dataset.type.element == type)
      return llvm::Error::success();
    fit(wide, type);
    numerics::convertArray(dataset.type.element, raw.data(), type, wide.data(),
                           n);
    data = wide.data();
    return llvm::Error::success();
  }
};
} // namespace

static void fillMetrics(const PairAccumulator &sums, ComparedRow &row) {
  row.metrics.clear();
  for (const numerics::Metric *metric : comparedMetrics())
    row.metrics.push_back(metric->evaluate(sums));
  row.elements = sums.count;
  row.mismatches = sums.mismatches;
  row.nonFiniteDisagree = sums.nonFinite.disagree;
  row.maxAbs = std::max(0.0, sums.maxAbs.error);
  double error = sums.squaredError.value(), norm = sums.benchSquares.value();
  row.relL2 = error == 0  ? 0
              : norm == 0 ? std::numeric_limits<double>::infinity()
                          : std::sqrt(error / norm);
  if (sums.finitePairs > 0)
    row.benchRms = std::sqrt(norm / static_cast<double>(sums.finitePairs));
  const numerics::PairSample &at =
      sums.maxAbs.index >= 0 ? sums.maxAbs : sums.maxUlp;
  if (at.index >= 0) {
    row.targetValue = numerics::printElement(sums.type, at.target.data());
    row.benchValue = numerics::printElement(sums.type, at.bench.data());
  }
}

/// Shapes that differ by dimensions of size 1 only still hold the same elements
/// in the same order.
static bool sameButUnits(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  tensor::Shape left, right;
  std::copy_if(a.begin(), a.end(), std::back_inserter(left),
               [](int64_t size) { return size != 1; });
  std::copy_if(b.begin(), b.end(), std::back_inserter(right),
               [](int64_t size) { return size != 1; });
  return left == right;
}

/// Sums all windows, or stops where `stop` returns true.
static llvm::Expected<PairAccumulator>
sumsOf(PairSource &source, const numerics::PairOptions &options,
       llvm::function_ref<bool(const PairAccumulator &)> stop = nullptr) {
  PairAccumulator sums;
  sums.type = source.type;
  sums.options = options;
  int64_t count = source.count(), window = source.window();
  for (int64_t at = 0; at < count; at += window) {
    int64_t n = std::min(window, count - at);
    if (llvm::Error error = source.load(at, n))
      return error;
    sums.accumulate(source.targetData, source.benchData, n, at);
    if (stop && stop(sums))
      break;
  }
  return sums;
}

/// The distance: NaN and Inf first, then the error, then how many elements
/// differ.
static std::tuple<int64_t, double, int64_t>
farness(const PairAccumulator &sums) {
  return {sums.nonFinite.disagree, sums.squaredError.value(), sums.mismatches};
}

/// Finds the nearest placement of the part in the whole; the row is compared
/// with it.
static llvm::Expected<PairAccumulator>
sumsOfPart(PairSource &source, const numerics::PairOptions &options,
           ComparedRow &row) {
  TensorPart &part = *row.pair.part;
  std::optional<PairAccumulator> nearest;
  for (int64_t blocks : part.blocksFor(
           (part.ofTarget ? source.target : source.bench).type.shape)) {
    source.part = part;
    source.part->blocks = blocks;
    source.isCut = false;
    llvm::Expected<PairAccumulator> sums = sumsOf(source, options);
    if (!sums)
      return sums.takeError();
    if (nearest && farness(*nearest) <= farness(*sums))
      continue;
    nearest = std::move(*sums);
    row.pair.part->blocks = blocks;
    // A wrong placement has nothing in common with the part.
    if (nearest->squaredError.value() < 0.25 * nearest->benchSquares.value())
      break;
  }
  row.reason = "a part of the other side's module";
  return std::move(*nearest);
}

/// Compares the tensors as they are, or with the bench's samples in the
/// target's order; the nearer of the two counts for the row.
static llvm::Expected<PairAccumulator>
sumsInOrder(PairSource &source, const numerics::PairOptions &options,
            const std::shared_ptr<const SampleOrder> &order, ComparedRow &row) {
  llvm::Expected<PairAccumulator> sums = sumsOf(source, options);
  if (!sums || !order || sums->mismatches == 0)
    return sums;
  for (const SampleView &view : sampleViews(source.target.type.shape, order)) {
    source.samples = view;
    source.isOrdered = false;
    llvm::Expected<PairAccumulator> other = sumsOf(source, options);
    if (!other)
      return other;
    if (farness(*other) < farness(*sums)) {
      *sums = *other;
      row.samples = view;
      row.reason = "compared sample by sample, in another order";
    }
  }
  return sums;
}

llvm::Error measurePair(const PairFiles &files, llvm::StringRef name,
                        const CompareOptions &options, PairBuffers &buffers,
                        const std::shared_ptr<const SampleOrder> &order,
                        ComparedRow &row) {
  const Hdf5Dataset &target = files.targetOf(row), &bench = files.benchOf(row);
  auto fail = [&](std::string reason) {
    row.status = RowStatus::Fail;
    row.reason = std::move(reason);
    row.worstFraction = std::numeric_limits<double>::infinity();
    return llvm::Error::success();
  };
  if (!target.unsupported.empty() || !bench.unsupported.empty())
    return fail("no tensor: " + (target.unsupported.empty()
                                     ? bench.unsupported
                                     : target.unsupported));
  tensor::Shape mine = target.type.shape, theirs = bench.type.shape;
  if (const std::optional<TensorPart> &part = row.pair.part)
    (part->ofTarget ? mine : theirs) =
        part->shapeOf(part->ofTarget ? mine : theirs);
  if (!sameButUnits(mine, theirs))
    return fail("shapes differ: " + toString(target.type) + " against " +
                toString(bench.type));
  row.type = commonType(target.type.element, bench.type.element);
  PairSource source{files.target, files.bench, target,
                    bench,        row.type,    buffers};
  const numerics::Rule &rule = options.rules.ruleFor(name, row.type);
  row.rule = rule.name();
  numerics::PairOptions pair = options.pair;
  pair.full = false; // skips sums that no column shows
  pair.slope = rule.slopeFor(row.type);
  source.mean = row.pair.mean.get();
  if (source.mean)
    row.reason = "compared with all calls of the module at once";
  llvm::Expected<PairAccumulator> sums =
      row.pair.part ? sumsOfPart(source, pair, row)
                    : sumsInOrder(source, pair, order, row);
  if (!sums)
    return sums.takeError();
  row.compared = true;
  fillMetrics(*sums, row);
  if (target.type.element != bench.type.element)
    row.reason = "compared as " + numerics::numpyName(row.type);
  else if (mine != theirs)
    row.reason = "shapes differ by dimensions of size 1";
  if (source.count() > 0 && !rule.passesBySums(*sums))
    row.undecided = std::make_shared<PairAccumulator>(std::move(*sums));
  return llvm::Error::success();
}

llvm::Error measureWithoutPadding(
    const PairFiles &files, llvm::StringRef name, const CompareOptions &options,
    PairBuffers &buffers,
    llvm::ArrayRef<std::shared_ptr<const PaddingMask>> masks,
    ComparedRow &row) {
  constexpr double kNearlyAll = 0.01; // rest: share of the squared error
  const numerics::Rule &rule = options.rules.ruleFor(name, row.type);
  numerics::PairOptions pair = options.pair;
  pair.full = false;
  pair.slope = rule.slopeFor(row.type);
  PairSource source{files.target,       files.bench, files.targetOf(row),
                    files.benchOf(row), row.type,    buffers};
  // Both figures only grow, so a window can reject early.
  auto rejects = [&](const PairAccumulator &sums) {
    return sums.nonFinite.disagree > 0 ||
           (row.undecided->nonFinite.disagree == 0 &&
            sums.squaredError.value() >
                kNearlyAll * row.undecided->squaredError.value());
  };
  for (const std::shared_ptr<const PaddingMask> &mask : masks)
    for (PaddingView &view : paddingViews(source.target.type.shape, mask)) {
      source.padding = view;
      llvm::Expected<PairAccumulator> sums = sumsOf(source, pair, rejects);
      if (!sums)
        return sums.takeError();
      if (rejects(*sums))
        continue;
      row.padding = std::move(view);
      row.reason = "compared without the positions that '" + mask->name +
                   "' leaves out";
      fillMetrics(*sums, row);
      row.undecided.reset();
      if (!rule.passesBySums(*sums))
        row.undecided = std::make_shared<PairAccumulator>(std::move(*sums));
      return llvm::Error::success();
    }
  return llvm::Error::success();
}

llvm::Error judgePair(const PairFiles &files, llvm::StringRef name,
                      const CompareOptions &options, PairBuffers &buffers,
                      ComparedRow &row) {
  const numerics::Rule &rule = options.rules.ruleFor(name, row.type);
  PairSource source{files.target,       files.bench,   files.targetOf(row),
                    files.benchOf(row), row.type,      buffers,
                    row.samples,        row.pair.part, row.padding,
                    row.pair.mean.get()};
  int64_t count = source.count(), window = source.window(), failing = 0;
  std::string text;
  for (int64_t at = 0; at < count; at += window) {
    int64_t n = std::min(window, count - at);
    if (llvm::Error error = source.load(at, n))
      return error;
    numerics::Judgement pair{.type = source.type,
                             .got = source.targetData,
                             .expected = source.benchData,
                             .n = n};
    pair.expectedRms = row.allowedRms;
    llvm::Expected<numerics::Verdict> verdict = rule.judge(pair);
    if (!verdict)
      return verdict.takeError();
    failing += verdict->failing;
    const numerics::JudgedPoint *worst = verdict->worst();
    if (worst && (text.empty() || worst->fraction > row.worstFraction)) {
      row.worstFraction = worst->fraction;
      verdict->shape = source.target.type.shape;
      verdict->points[0].index += at;
      verdict->checked = count;
      text = verdict->text();
    }
  }
  if (failing == 0)
    return llvm::Error::success();
  row.status = RowStatus::Fail;
  row.reason = count <= window
                   ? text
                   : std::to_string(failing) + " elements in all; " + text;
  return llvm::Error::success();
}

} // namespace assay::trace
