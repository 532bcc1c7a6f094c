// Floats: each element's error against the errors there, and the distribution
// of all errors (quantiles and the largest) against those of the evaluations.
// Integers and truth values: how many differ.
//
//   near      error <= kNear * the largest of the ordinary evaluations' errors
//             at this element, or at nine of ten elements, as long as that is
//             small compared with the result (kTelling); or two units in the last place
//   wrong     error > kFar * the largest error of any evaluation anywhere; or
//             half (nine tenths, ...) of the errors are larger than kFar times
//             those of any evaluation
//   open      the rest. Correct evaluations have some too, where a decision went
//             another way than in all others: twice as many are not a finding
#include "assay/judge/program/Spread.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Rules.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;

/// Results within this many powers of two of the end of a type's range may have
/// overflown on the way.
static constexpr int kOverflowRoom = 24;

namespace {
/// The errors of one evaluation at the measured numbers, complex parts
/// separately.
struct ErrorsOf {
  double amplitude;
  std::vector<double> at;
};

struct Floats {
  std::vector<int64_t> index; ///< element of each number
  std::vector<double> exact, got;
  ErrorsOf tested;
  std::vector<ErrorsOf> correct;
  ElementType type;
};
} // namespace

static double distance(double x, double exact) {
  if (x == exact || (std::isnan(x) && std::isnan(exact)))
    return 0;
  double off = std::fabs(x - exact);
  return std::isnan(off) ? INFINITY : off;
}

static double quantile(std::vector<double> values, double share) {
  if (values.empty())
    return 0;
  auto at = static_cast<size_t>(share * static_cast<double>(values.size()));
  at = std::min(at, values.size() - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<long>(at),
                   values.end());
  return values[at];
}

static Floats collect(const ProgramTruth &truth, size_t result,
                      const void *bytes, llvm::ArrayRef<Evaluation> evaluations,
                      const std::vector<bool> &measured) {
  const Value &value = truth.results[result];
  Floats f;
  f.type = value.tensor().elementType();
  size_t parts = f.type.isComplex() ? 2 : 1;
  std::vector<double> exact = exactValues(value), got(exact.size());
  numerics::convertArray(f.type, bytes, wideType(f.type), got.data(),
                         value.tensor().size());
  for (size_t i = 0; i < exact.size(); ++i)
    if (measured[i / parts]) {
      f.index.push_back(static_cast<int64_t>(i / parts));
      f.exact.push_back(exact[i]);
      f.got.push_back(got[i]);
    }
  auto errorsOf = [&](const std::vector<double> &values, double amplitude) {
    ErrorsOf errors{amplitude, {}};
    for (size_t i = 0; i < exact.size(); ++i)
      if (measured[i / parts])
        errors.at.push_back(distance(values[i], exact[i]));
    return errors;
  };
  f.tested = errorsOf(got, 0);
  f.correct.push_back(errorsOf(exactValues(Value(value.tensor())), 1));
  for (const Evaluation &evaluation : evaluations)
    f.correct.push_back(
        errorsOf(exactValues(Value(evaluation.results[result].tensor())),
                 evaluation.amplitude));
  return f;
}

/// For each number, the largest error that counts as near; the evaluation
/// `without` is left out.
static std::vector<double> nearLimits(const Floats &f,
                                      const ErrorsOf *without) {
  std::vector<double> local(f.exact.size(), 0.0);
  for (const ErrorsOf &errors : f.correct)
    if (&errors != without && errors.amplitude == 1)
      for (size_t i = 0; i < local.size(); ++i)
        local[i] = std::max(local[i], errors.at[i]);
  double common = quantile(local, 0.9), squares = 0, finite = 1;
  for (double x : f.exact)
    if (std::isfinite(x))
      squares += x * x, ++finite;
  double telling =
      kTelling * numerics::dtypeConstant(f.type) * std::sqrt(squares / finite);
  for (size_t i = 0; i < local.size(); ++i)
    local[i] = std::max(std::min(kNear * std::max(local[i], common), telling),
                        4 * halfUlp(f.exact[i], f.type.part()));
  return local;
}

static int64_t countBeyond(const ErrorsOf &errors,
                           const std::vector<double> &limits) {
  int64_t count = 0;
  for (size_t i = 0; i < limits.size(); ++i)
    count += errors.at[i] > limits[i];
  return count;
}

/// Whether the errors as a whole are larger than those of any evaluation.
static bool isAnotherDistribution(const Floats &f) {
  auto count = static_cast<double>(f.exact.size());
  double size = quantile(
      [&] {
        std::vector<double> sizes(f.exact);
        for (double &x : sizes)
          x = std::fabs(x);
        return sizes;
      }(),
      0.9);
  double least = 4 * halfUlp(std::isfinite(size) ? size : 1, f.type.part());
  for (double share : {0.5, 0.9, 0.99}) {
    if (count * (1 - share) < 4)
      continue;
    double largest = least;
    for (const ErrorsOf &errors : f.correct)
      largest = std::max(largest, quantile(errors.at, share));
    if (quantile(f.tested.at, share) > kFar * largest)
      return true;
  }
  return false;
}

static void addFailure(Verdict &verdict, const Floats &f, size_t i,
                       double limit) {
  ++verdict.failures;
  if (verdict.failing.size() < kPatternPoints)
    verdict.failing.push_back(f.index[i]);
  if (verdict.worst.size() < kWorstPoints)
    verdict.worst.push_back(
        {f.index[i], f.got[i], f.exact[i], f.tested.at[i], limit, 0, true});
}

static SpreadVerdict judgeFloats(const Floats &f) {
  SpreadVerdict said;
  Verdict &verdict = said.verdict;
  verdict.elements = static_cast<int64_t>(f.exact.size());
  // Results near the end of the range: an intermediate overflow is not a fault.
  double end = std::ldexp(
      1.0, numerics::formatInfo(f.type.format).maxExponent() - kOverflowRoom);
  bool overflows = llvm::any_of(f.exact, [&](double x) {
    return std::isfinite(x) && std::fabs(x) >= end;
  });
  for (const ErrorsOf &errors : f.correct)
    for (double e : errors.at)
      if (std::isfinite(e))
        said.reach = std::max(said.reach, e);
      else
        overflows = true;
  std::vector<double> near = nearLimits(f, nullptr);
  bool another = isAnotherDistribution(f);
  for (size_t i = 0; i < near.size(); ++i) {
    double error = f.tested.at[i], far = std::max(kFar * said.reach, near[i]);
    if (error <= near[i])
      continue;
    bool wrong = !overflows && (error > far || another);
    if (wrong)
      addFailure(verdict, f, i, another ? near[i] : far);
    else
      ++verdict.undecided;
  }
  int64_t natural = 0;
  for (const ErrorsOf &errors : f.correct)
    if (errors.amplitude == 1)
      natural = std::max(natural, countBeyond(errors, nearLimits(f, &errors)));
  said.passed = verdict.passed() && verdict.undecided <= 2 * natural;
  return said;
}

static int64_t differing(const void *a, const void *b, size_t width,
                         const std::vector<bool> &measured,
                         std::vector<int64_t> *where = nullptr) {
  int64_t count = 0;
  for (size_t i = 0; i < measured.size(); ++i) {
    if (!measured[i] ||
        !std::memcmp(static_cast<const std::byte *>(a) + i * width,
                     static_cast<const std::byte *>(b) + i * width, width))
      continue;
    ++count;
    if (where && where->size() < kPatternPoints)
      where->push_back(static_cast<int64_t>(i));
  }
  return count;
}

/// Values that are not floats: wrong when far more of them differ than in any
/// evaluation, and more than a single decision explains.
static SpreadVerdict judgeCounts(const ProgramTruth &truth, size_t result,
                                 const void *bytes,
                                 llvm::ArrayRef<Evaluation> evaluations,
                                 const std::vector<bool> &measured) {
  SpreadVerdict said;
  tensor::Tensor own = llvm::cantFail(truth.results[result].tensor().dense());
  auto width = static_cast<size_t>(own.elementType().storageBytes());
  std::vector<int64_t> where;
  Verdict &verdict = said.verdict;
  verdict.elements = llvm::count(measured, true);
  verdict.undecided = differing(bytes, own.bytes(), width, measured, &where);
  int64_t ordinary = 0, any = 0;
  for (const Evaluation &evaluation : evaluations) {
    tensor::Tensor other =
        llvm::cantFail(evaluation.results[result].tensor().dense());
    int64_t count = differing(other.bytes(), own.bytes(), width, measured);
    any = std::max(any, count);
    if (evaluation.amplitude == 1)
      ordinary = std::max(ordinary, count);
  }
  said.reach = static_cast<double>(any);
  int64_t most = static_cast<int64_t>(kFar) * any +
                 std::max<int64_t>(8, verdict.elements / 8);
  if (verdict.undecided > most) {
    verdict.failures = verdict.undecided;
    verdict.failing = where;
    verdict.undecided = 0;
  }
  said.passed = verdict.passed() && verdict.undecided <= 2 * ordinary;
  return said;
}

SpreadVerdict judge::judgeBySpread(const ProgramTruth &truth, size_t result,
                                   const void *bytes,
                                   llvm::ArrayRef<Evaluation> evaluations,
                                   const std::vector<bool> &measured) {
  if (!isFloating(truth.results[result]))
    return judgeCounts(truth, result, bytes, evaluations, measured);
  return judgeFloats(collect(truth, result, bytes, evaluations, measured));
}
