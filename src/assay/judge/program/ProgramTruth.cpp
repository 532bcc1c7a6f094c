// The reference run that judges a program, and the element by element verdict.
// What has no bound is left open here (ProgramJudge.cpp goes on with it).
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;

llvm::Expected<ProgramTruth>
judge::computeTruth(std::shared_ptr<const program::Program> program,
                    llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                    ThreadPool &pool, double maxSeconds) {
  program::PlanOptions options;
  options.entry = entry.str();
  options.shadow = true;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(program, reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  program::RunContext context(pool);
  context.shadow = true;
  if (maxSeconds > 0)
    context.interrupt.setTimeLimit(maxSeconds);
  mlir::func::FuncOp function = llvm::cantFail(program->function(entry));
  ErrorTracker tracker(pool);
  context.observers.push_back(&tracker);
  llvm::Expected<std::vector<Value>> results =
      program::execute(**plan, inputs, context);
  if (!results)
    return results.takeError();
  ProgramTruth truth;
  truth.results = std::move(*results);
  truth.noBound = tracker.noBound();
  truth.divergedDecisions = context.divergedDecisions;
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (auto [value, result] : llvm::zip(end->getOperands(), truth.results))
    truth.errors.push_back(result.isTensor()
                               ? tracker.errorsOf(value, result.tensor().size())
                               : nullptr);
  return truth;
}

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

static std::vector<Exact> exactPairs(const Value &value) {
  std::vector<double> high = exactValues(value);
  std::vector<Exact> out(high.size());
  const Tensor &shadow = value.shadowOrTensor();
  bool isQuad = shadow.elementType().isFloat() &&
                shadow.elementType().format == FloatFormat::F128;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {high[i], 0};
    if (isQuad && std::isfinite(high[i])) {
      __float128 wide;
      std::memcpy(&wide,
                  shadow.bytes() + (shadow.isSplat() ? 0 : i * sizeof wide),
                  sizeof wide);
      out[i].low = static_cast<double>(wide - high[i]);
    }
  }
  return out;
}

/// The largest finite value plus half its unit: what is exact beyond that may
/// become infinite.
static double overflowThreshold(ElementType type) {
  numerics::FormatInfo info = numerics::formatInfo(type.format);
  return std::ldexp(2.0 - std::ldexp(1.0, -info.mantissaBits - 1),
                    info.maxExponent());
}

/// Error of one part; NaN: it cannot be told.
static double partError(double got, Exact exact, double allowed,
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
    return std::fabs(exact.high) + allowed >= threshold &&
                   std::signbit(got) == std::signbit(exact.high)
               ? 0
               : INFINITY;
  return std::fabs((got - exact.high) - exact.low);
}

static Verdict judgeFloats(const ProgramTruth &truth, size_t result,
                           const void *bytes) {
  const Value &value = truth.results[result];
  const Tensor &tensor = value.tensor();
  ElementType type = tensor.elementType();
  int64_t parts = type.isComplex() ? 2 : 1;
  std::vector<double> got(static_cast<size_t>(tensor.size() * parts));
  numerics::convertArray(type, bytes,
                         parts == 2 ? ElementType::complex(FloatFormat::F64)
                                    : ElementType::floating(FloatFormat::F64),
                         got.data(), tensor.size());
  std::vector<Exact> exact = exactPairs(value);
  Value plain(tensor);
  std::vector<double> own = exactValues(plain); // the reference's rounded value
  double threshold = overflowThreshold(type);
  Verdict verdict;
  verdict.elements = tensor.size();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double allowed = truth.errors[result]
                         ? (*truth.errors[result])[static_cast<size_t>(i)]
                         : 0;
    bool failed = false, open = false;
    WorstPoint point;
    for (int64_t part = i * parts; part < (i + 1) * parts; ++part) {
      auto at = static_cast<size_t>(part);
      // What the type holds exactly, and what it makes of numbers beyond its
      // range, is the reference's own value.
      bool same =
          got[at] == own[at] || (std::isnan(got[at]) && std::isnan(own[at]));
      if (same && (allowed == 0 || !std::isfinite(own[at])))
        continue;
      double error = partError(got[at], exact[at], allowed, threshold);
      if (std::isnan(error)) {
        open = true;
        continue;
      }
      double fraction = allowed > 0 ? error / allowed
                        : error > 0 ? INFINITY
                                    : 0;
      if (error <= allowed * (1 + 1e-9)) {
        verdict.worstFraction =
            std::max(verdict.worstFraction, std::min(fraction, 1.0));
        continue;
      }
      failed = true;
      if (point.error <= error)
        point = {i, got[at], exact[at].high, error, allowed, 0, true};
    }
    verdict.undecided += open;
    if (!failed)
      continue;
    ++verdict.failures;
    if (verdict.failing.size() < kPatternPoints)
      verdict.failing.push_back(i);
    addWorst(verdict, point);
  }
  return verdict;
}

Verdict judge::judgeResult(const ProgramTruth &truth, size_t result,
                           const void *bytes) {
  const Tensor &tensor = truth.results[result].tensor();
  if (isFloating(truth.results[result]))
    return judgeFloats(truth, result, bytes);
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
