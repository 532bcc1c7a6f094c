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
#include <limits>

namespace assay::trace {

using numerics::ElementType;
using numerics::FloatFormat;
using numerics::PairAccumulator;
using tensor::Hdf5Dataset;
using tensor::Hdf5Reader;

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

namespace {
/// Windows of one pair, in the common type.
struct PairSource {
  const Hdf5Reader &targetFile, &benchFile;
  const Hdf5Dataset &target, &bench;
  ElementType type;
  PairBuffers &buffers;
  const void *targetData = nullptr, *benchData = nullptr;

  int64_t count() const {
    return target.sizeBytes / target.type.element.storageBytes();
  }
  int64_t window() const {
    int64_t width = std::max(target.type.element.storageBytes(),
                             bench.type.element.storageBytes());
    return kWindowBytes / width;
  }
  llvm::Error load(int64_t first, int64_t n) {
    if (llvm::Error error = side(targetFile, target, first, n, buffers.target,
                                 buffers.targetWide, targetData))
      return error;
    return side(benchFile, bench, first, n, buffers.bench, buffers.benchWide,
                benchData);
  }

private:
  llvm::Error side(const Hdf5Reader &file, const Hdf5Dataset &dataset,
                   int64_t first, int64_t n, std::vector<std::byte> &raw,
                   std::vector<std::byte> &wide, const void *&data) const {
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

llvm::Error measurePair(const PairFiles &files, llvm::StringRef name,
                        const CompareOptions &options, PairBuffers &buffers,
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
  if (!sameButUnits(target.type.shape, bench.type.shape))
    return fail("shapes differ: " + toString(target.type) + " against " +
                toString(bench.type));
  row.type = commonType(target.type.element, bench.type.element);
  PairSource source{files.target, files.bench, target,
                    bench,        row.type,    buffers};
  PairAccumulator sums;
  sums.type = row.type;
  const numerics::Rule &rule = options.rules.ruleFor(name, row.type);
  row.rule = rule.name();
  sums.options = options.pair;
  sums.options.full = false; // what is not among the columns
  sums.options.slope = rule.slopeFor(row.type);
  int64_t count = source.count(), window = source.window();
  for (int64_t at = 0; at < count; at += window) {
    int64_t n = std::min(window, count - at);
    if (llvm::Error error = source.load(at, n))
      return error;
    sums.accumulate(source.targetData, source.benchData, n, at);
  }
  row.compared = true;
  fillMetrics(sums, row);
  if (target.type.element != bench.type.element)
    row.reason = "compared as " + numerics::numpyName(row.type);
  else if (target.type.shape != bench.type.shape)
    row.reason = "shapes differ by dimensions of size 1";
  if (count > 0 && !rule.passesBySums(sums))
    row.undecided = std::make_shared<PairAccumulator>(sums);
  return llvm::Error::success();
}

llvm::Error judgePair(const PairFiles &files, llvm::StringRef name,
                      const CompareOptions &options, PairBuffers &buffers,
                      ComparedRow &row) {
  const numerics::Rule &rule = options.rules.ruleFor(name, row.type);
  PairSource source{files.target,       files.bench, files.targetOf(row),
                    files.benchOf(row), row.type,    buffers};
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
