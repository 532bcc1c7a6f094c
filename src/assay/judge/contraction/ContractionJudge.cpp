// Element by element: accumulators and their error go through the epilogue in
// blocks and are compared with the stored result. A block-wide test
// (distance below error plus half an ulp) accepts nearly all; the rest is
// decided by the admissible interval, which knows ties, saturation and binade
// edges. Bounds: N. Higham, "Accuracy and Stability of Numerical Algorithms",
// 2nd ed., sections 3.1 and 4.2 (gamma), and Higham and Mary, SIAM J. Sci.
// Comput. 41 (2019) for the probabilistic one with sqrt(d).
#include "assay/judge/contraction/ContractionJudge.h"
#include "assay/judge/FastConvolution.h"
#include "assay/numerics/Convert.h"
#include "assay/support/TargetClones.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <mutex>

using namespace assay;
using namespace assay::judge;

static constexpr int64_t kBlock = 512;
/// At most this many suspects of the screen by norms are recomputed.
static constexpr int64_t kMostRefined = 256;

/// The error that the roundings of f32 factors that --attr-fpmath allows may
/// add to a sum, relative to sum |a||b|.
static double factorRoundings(const Case &c) {
  if (c.factorRounding == types::None)
    return 0;
  double unit = unitRoundoff(c.factorRounding);
  bool a = c.slots[c.a].type == types::F32, b = c.slots[c.b].type == types::F32;
  return (a ? unit : 0) + (b ? unit : 0) + (a && b ? unit * unit : 0);
}

/// Winograd's transforms spread the errors of a tile's products over all its
/// results, also over those with small terms. Where terms differ much in size,
/// only a constant factor on the bound covers that.
static void allowTransforms(const Case &c, FillKind kind, double unit,
                            Bound &bound) {
  bool isEven = kind == FillKind::Normal || kind == FillKind::Uniform ||
                kind == FillKind::Exact;
  constexpr double kFactor = 64;
  double channels =
      std::max(1.0, static_cast<double>(c.contraction.depth()) /
                        static_cast<double>(c.contraction.kernelArea()));
  double more = transformRoundoffs(channels) * unit;
  for (double *part : {&bound.relative, &bound.own})
    *part = isEven ? *part + more : kFactor * *part;
  for (double *part : {&bound.theorem, &bound.ownTheorem})
    *part *= kFactor;
}

Bound judge::makeBound(const Case &c, const FillPlan &plan,
                       double unitTrusted) {
  Bound bound;
  bool winograd = c.algorithm != Algorithm::Direct;
  bool coarse = c.accumulatorUnit > 0;
  bound.exact =
      !winograd && !coarse &&
      (c.hasIntegerSums() ||
       ((plan.ofIntegers() || plan.kind == FillKind::Sparse) && plan.exact));
  if (bound.exact)
    return bound;
  bool f64 = c.slots[c.a].type == types::F64;
  // A block scale is one more product per term, before or after the block's
  // own sum.
  double d = static_cast<double>(std::max<int64_t>(1, c.contraction.depth()) +
                                 c.blockScales()),
         unit = std::max(f64 ? 0x1p-53 : 0x1p-24, c.accumulatorUnit),
         factors = plan.exact ? 0 : factorRoundings(c);
  // Unsigned integers do not have a mean of zero, whatever the fill's name.
  bool oneSided =
      !isSignedType(c.slots[c.a].type) && !isSignedType(c.slots[c.b].type);
  FillKind kind = oneSided ? FillKind::Uniform : plan.kind;
  bound.theorem = theoremBound(d, unit) + theoremBound(d, unitTrusted);
  bound.relative =
      likelyBound(d, unit, kind) + likelyBound(d, unitTrusted, kind);
  bound.own = likelyBound(d, unit, kind);
  bound.ownTheorem = theoremBound(d, unit);
  bound.theorem += factors, bound.relative += factors;
  bound.own += factors, bound.ownTheorem += factors;
  if (winograd)
    allowTransforms(c, kind, unit, bound);
  bound.underflow = d * (f64 ? 0x1p-1022 : 0x1p-126);
  // f16's range ends at 2^-24: each factor may be off by half of that, times the other.
  if (factors > 0)
    bound.underflow += d * 0x1p-20;
  return bound;
}

/// 2^floor(log2 |x|), 0 for 0.
static inline double binade(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) &
                               0x7ff0000000000000ull);
}

namespace {
/// One thread's findings.
struct Findings {
  int64_t failures = 0, undecided = 0, refined = 0;
  double worstFraction = 0;
  std::vector<WorstPoint> worst;
  std::vector<int64_t> failing;
};

/// The facts of the output type that a block comparison needs.
struct OutputType {
  ElementType type;
  bool isInteger;
  double half; ///< half an ulp of 1 (floats) or 0.5
  double low, high;
  explicit OutputType(ElementType t)
      : type(t), isInteger(t.isInteger()),
        half(isInteger ? 0.5 : unitRoundoff(t)), low(minValue(t)),
        high(maxValue(t)) {}
};
} // namespace

/// suspects[i] = 1 where the quick test does not accept, or nothing bounds the
/// error; returns the greatest error as a fraction of its bound.
ASSAY_CLONES static double screen(const double *value, const double *error,
                                  const double *got, int64_t n, bool isInteger,
                                  double half, double low, double high,
                                  uint8_t *suspects) {
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    double v = value[i] < low ? low : value[i] > high ? high : value[i];
    double room = error[i] + half * (isInteger ? 1.0 : binade(v));
    double distance = std::abs(got[i] - v);
    bool accepted = room <= DBL_MAX && (distance < room || distance == 0);
    suspects[i] = !accepted;
    double fraction = accepted && room > 0 ? distance / room : 0;
    worst = fraction > worst ? fraction : worst;
  }
  return worst;
}

/// The screen in float for sums that no post-op follows: counts the elements
/// whose distance is not below their room. `half`, the rounding's part of the
/// room, is reduced by one part in a thousand, so that no wrong element passes.
ASSAY_CLONES static int64_t screenFloat(const float *value, const double *norms,
                                        const float *got, int64_t n,
                                        double relative, double underflow,
                                        float half, float &worst) {
  int64_t suspects = 0;
  float most = worst, factor = static_cast<float>(relative),
        least = static_cast<float>(underflow);
  for (int64_t i = 0; i < n; ++i) {
    float power =
        std::bit_cast<float>(std::bit_cast<uint32_t>(value[i]) & 0x7f800000u);
    float room = factor * static_cast<float>(norms[i]) + least + half * power;
    float distance = std::abs(got[i] - value[i]);
    bool accepted = distance < room;
    suspects += !accepted;
    float fraction = accepted ? distance / room : 0.0f;
    most = fraction > most ? fraction : most;
  }
  worst = most;
  return suspects;
}

/// Bytes that differ from the sums rounded to the output type; exact data.
static bool sameAsRounded(ElementType type, const float *value,
                          const std::byte *got, int64_t n) {
  uint16_t narrow[kBlock];
  if (type == types::F32)
    return std::memcmp(value, got, n * sizeof(float)) == 0;
  numerics::convertArray(types::F32, value, type, narrow, n);
  return std::memcmp(narrow, got, n * sizeof(uint16_t)) == 0;
}

static void addWorst(Findings &findings, const WorstPoint &point) {
  auto key = [](const WorstPoint &p) {
    return std::isfinite(p.error) ? (p.bound > 0 ? p.error / p.bound : 1e300)
                                  : 1e301;
  };
  auto after = [&](const WorstPoint &x, const WorstPoint &y) {
    return key(x) > key(y) || (key(x) == key(y) && x.index < y.index);
  };
  findings.worst.insert(std::upper_bound(findings.worst.begin(),
                                         findings.worst.end(), point, after),
                        point);
  if (findings.worst.size() > kWorstPoints)
    findings.worst.pop_back();
}

enum class Decision { Accept, Fail, Undecided };

/// `sum`: exact, before post-ops. Where it is infinite, a factor is infinite
/// (except in f64), and so the sum is infinite in every order.
static Decision decide(const OutputType &out, double sum, double value,
                       double error, double got) {
  if (std::isinf(sum) && std::isinf(value) && !out.isInteger &&
      !isNarrowFloat(out.type) && !(out.type == types::F64))
    return got == value ? Decision::Accept : Decision::Fail;
  if (std::isnan(value) || !std::isfinite(error)) {
    if (out.isInteger || (!std::isfinite(error) && !std::isnan(value)))
      return Decision::Undecided;
    return std::isnan(got) ? Decision::Accept : Decision::Fail;
  }
  if (std::isnan(got) && !isNarrowFloat(out.type))
    return Decision::Fail;
  Interval interval = admissible(out.type, value, error);
  return mayStore(out.type, interval.low, interval.high, got) ? Decision::Accept
                                                              : Decision::Fail;
}

static void examine(Findings &findings, const OutputType &out, int64_t index,
                    double sum, double value, double error, double theoremError,
                    double got) {
  switch (decide(out, sum, value, error, got)) {
  case Decision::Accept:
    return;
  case Decision::Undecided:
    ++findings.undecided;
    return;
  case Decision::Fail:
    break;
  }
  ++findings.failures;
  if (findings.failing.size() < kPatternPoints)
    findings.failing.push_back(index);
  Interval interval = admissible(out.type, value, error);
  WorstPoint point;
  point.index = index;
  point.got = got;
  point.expected = error > 0 ? value : roundTo(out.type, value);
  point.error = std::abs(got - value);
  point.bound = error > 0 || out.isInteger
                    ? std::max(interval.high - value, value - interval.low)
                    : 0;
  if (error == 0)
    point.bound = 0;
  point.exactSum = sum;
  point.beyondTheorem =
      error == 0 || decide(out, sum, value, theoremError, got) == Decision::Fail;
  addWorst(findings, point);
}

/// Stored elements of one row of the walk as double.
static void readRow(const Slot &slot, const std::byte *data, int64_t offset,
                    int64_t stride, int64_t n, double *out) {
  int64_t bytes = bytesOf(slot.type);
  if (numerics::isPacked(slot.type)) {
    std::byte row[kBlock];
    numerics::unpackElements(slot.type, data, offset, stride, n, row);
    numerics::convertArray(slot.type, row, types::F64, out, n);
    return;
  }
  if (stride == 1) {
    numerics::convertArray(slot.type, data + offset * bytes, types::F64, out,
                           n);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    numerics::convertArray(slot.type, data + (offset + i * stride) * bytes,
                           types::F64, out + i, 1);
}

template <typename Body>
static void forEachBlock(const Epilogue &epilogue, ThreadPool &pool,
                         Body &body) {
  const Walk &walk = epilogue.walk();
  int64_t width = walk.width(), rows = walk.rows();
  int64_t perRow = (width + kBlock - 1) / kBlock;
  int64_t grain = std::max<int64_t>(1, 16384 / std::min(width, kBlock));
  pool.parallelFor(rows * perRow, grain, [&](int64_t begin, int64_t end) {
    Findings findings;
    for (int64_t b = begin; b < end; ++b) {
      int64_t row = b / perRow, first = b % perRow * kBlock;
      body(findings, row, first, std::min(kBlock, width - first));
    }
    body.merge(findings);
  });
}

namespace {
struct JudgeBody {
  const Case &c;
  const Epilogue &epilogue;
  const Accumulators &sums;
  const Bound &bound;
  const std::byte *data;
  OutputType out;
  Verdict &verdict;
  std::mutex &mutex;
  /// Float sums, no post-ops, neighbours side by side, and exact data or norms:
  /// most blocks pass by one comparison.
  bool quick = epilogue.empty() && sums.narrow && !out.isInteger &&
               out.type != types::F64 && out.type.bits >= 16 &&
               epilogue.walk().inner(0) == 1 && (bound.exact || sums.norms);
  std::atomic<int64_t> suspected{0}; ///< beyond the screen by norms

  void load(int64_t first, int64_t n, double *value, double *error) const {
    if (sums.norms)
      sums.norms->load(first, n, error);
    if (sums.narrow)
      for (int64_t i = 0; i < n; ++i)
        value[i] = sums.narrow[first + i];
    else if (sums.integers)
      for (int64_t i = 0; i < n; ++i)
        value[i] = sums.integers[first + i];
    else
      std::copy_n(sums.wide.data() + first, n, value);
    if (sums.norms)
      for (int64_t i = 0; i < n; ++i)
        error[i] = bound.relative * kNormShare * error[i] + bound.underflow;
    const float *absolute =
        sums.absolute.empty() ? nullptr : sums.absolute.data() + first;
    for (int64_t i = 0; i < n && !sums.norms; ++i)
      error[i] =
          bound.exact
              ? 0
              : bound.relative * (absolute ? absolute[i] : std::abs(value[i])) +
                    bound.underflow;
  }

  /// A suspect of the screen by norms: its sum and sum |a||b| recomputed, then
  /// the bound as without norms.
  void refine(Findings &findings, int64_t row, int64_t at, double value,
              double error, double got) {
    if (decide(out, value, value, error, got) == Decision::Accept ||
        ++suspected > kMostRefined)
      return;
    int64_t index = row * epilogue.walk().width() + at;
    Point truth = contractPoint(c.contraction, sums.a, sums.b, index);
    double sum = truth.value,
           room = bound.own * truth.absolute + bound.underflow,
           theorem = room * (bound.ownTheorem / bound.own);
    value = sum, error = room;
    epilogue.apply(row, at, 1, &value, &error, bound.own);
    ++findings.refined;
    examine(findings, out, index, sum, value, error, error * (theorem / room),
            got);
  }

  /// Whether a block of float sums without post-ops passes the quick screen.
  bool passesQuickly(Findings &findings, int64_t first, const int64_t *offsets,
                     int64_t begin, int64_t n) const {
    const std::byte *at = data + (offsets[0] + begin) * bytesOf(out.type);
    if (bound.exact)
      return sameAsRounded(out.type, sums.narrow + first, at, n);
    double norms[kBlock];
    float got[kBlock], worst = static_cast<float>(findings.worstFraction);
    sums.norms->load(first, n, norms);
    if (out.type == types::F32)
      std::memcpy(got, at, n * sizeof(float));
    else
      numerics::convertArray(out.type, at, types::F32, got, n);
    if (screenFloat(sums.narrow + first, norms, got, n,
                    bound.relative * kNormShare, bound.underflow,
                    static_cast<float>(out.half * 0.999), worst))
      return false;
    findings.worstFraction = std::max<double>(findings.worstFraction, worst);
    return true;
  }

  void operator()(Findings &findings, int64_t row, int64_t begin, int64_t n) {
    double value[kBlock], error[kBlock], got[kBlock];
    uint8_t suspects[kBlock];
    int64_t offsets[40];
    const Walk &walk = epilogue.walk();
    int64_t first = row * walk.width() + begin;
    walk.at(row, offsets);
    if (quick && passesQuickly(findings, first, offsets, begin, n))
      return;
    load(first, n, value, error);
    epilogue.apply(row, begin, n, value, error, bound.own);
    readRow(c.slots[c.out], data, offsets[0] + begin * walk.inner(0),
            walk.inner(0), n, got);
    findings.worstFraction = std::max(
        findings.worstFraction, screen(value, error, got, n, out.isInteger,
                                       out.half, out.low, out.high, suspects));
    for (int64_t i = 0; i < n && sums.norms; ++i)
      if (suspects[i])
        refine(findings, row, begin + i, value[i], error[i], got[i]);
    for (int64_t i = 0; i < n && !sums.norms; ++i)
      if (suspects[i]) {
        double theorem = bound.relative > 0
                             ? error[i] * (bound.theorem / bound.relative)
                             : 0;
        examine(findings, out, first + i, sums.at(first + i), value[i],
                error[i], theorem, got[i]);
      }
  }

  void merge(const Findings &findings) {
    std::lock_guard<std::mutex> lock(mutex);
    verdict.failures += findings.failures;
    verdict.undecided += findings.undecided;
    verdict.refined += findings.refined;
    verdict.tooManySuspects |= suspected > kMostRefined;
    verdict.worstFraction =
        std::max(verdict.worstFraction, findings.worstFraction);
    size_t room =
        kPatternPoints - std::min(kPatternPoints, verdict.failing.size());
    verdict.failing.insert(verdict.failing.end(), findings.failing.begin(),
                           findings.failing.begin() +
                               std::min(room, findings.failing.size()));
    Findings merged;
    merged.worst = std::move(verdict.worst);
    for (const WorstPoint &point : findings.worst)
      addWorst(merged, point);
    verdict.worst = std::move(merged.worst);
  }
};
} // namespace

/// Among sampled outputs and terms of low, middle and high magnitude and either
/// sign: the share of those that change the output when they are dropped.
static double visibleFraction(const Case &c, const FillPlan &plan,
                              const Epilogue &epilogue,
                              const Accumulators &sums) {
  const Walk &walk = epilogue.walk();
  int64_t count = walk.rows() * walk.width(),
          samples = std::min<int64_t>(count, 1024), seen = 0, tried = 0;
  ElementType type = c.slots[c.out].type;
  double least = std::exp2(-2 * c.blockScales()),
         most = std::exp2(c.blockScales()); // of the block scales
  double low = static_cast<double>(plan.aLow * plan.bLow) * plan.unit * least,
         high = static_cast<double>(plan.aHigh * plan.bHigh) * plan.unit * most;
  const double terms[] = {low,  -low, (low + high) / 2, -(low + high) / 2,
                          high, -high};
  auto result = [&](int64_t row, int64_t at, double sum) {
    double error = 0;
    epilogue.apply(row, at, 1, &sum, &error);
    return admissible(type, sum, error);
  };
  for (int64_t s = 0; s < samples; ++s) {
    int64_t i = s * (count / samples), row = i / walk.width(),
            at = i % walk.width();
    Interval right = result(row, at, sums.at(i));
    for (double term : terms) {
      Interval wrong = result(row, at, sums.at(i) + term);
      seen += wrong.low > right.high || wrong.high < right.low;
      ++tried;
    }
  }
  return tried ? static_cast<double>(seen) / static_cast<double>(tried) : 0;
}

Verdict judge::judgeContraction(const Case &c, const FillPlan &plan,
                                const Epilogue &epilogue,
                                const Accumulators &sums, const Bound &bound,
                                const void *data, ThreadPool &pool) {
  Verdict verdict;
  verdict.elements = c.slots[c.out].elements();
  std::mutex mutex;
  JudgeBody body{c,
                 epilogue,
                 sums,
                 bound,
                 static_cast<const std::byte *>(data),
                 OutputType(c.slots[c.out].type),
                 verdict,
                 mutex};
  forEachBlock(epilogue, pool, body);
  std::sort(verdict.failing.begin(), verdict.failing.end());
  if (plan.kind == FillKind::Exact)
    verdict.visible = visibleFraction(c, plan, epilogue, sums);
  return verdict;
}

Verdict judge::judgeAsBenchdnn(const Case &c, const Epilogue &epilogue,
                               const Accumulators &sums, const void *data,
                               ThreadPool &pool) {
  // benchdnn's tests of one element, in its order; the first that holds accepts
  // the element.
  Verdict verdict;
  const Slot &slot = c.slots[c.out];
  verdict.elements = slot.elements();
  bool hasEltwise = false, hasBinary = false;
  for (const PostOp &op : c.attributes.postOps) {
    hasEltwise |= op.kind == PostOp::Kind::Eltwise;
    hasBinary |= op.kind == PostOp::Kind::Binary;
  }
  double eps = slot.type.isInteger() ? 0 : 2 * unitRoundoff(slot.type);
  double threshold = c.algorithm == Algorithm::Winograd ? 2e-5 : 0;
  const Walk &walk = epilogue.walk();
  Findings findings;
  for (int64_t row = 0; row < walk.rows(); ++row)
    for (int64_t at = 0; at < walk.width(); ++at) {
      int64_t offsets[40], index = row * walk.width() + at;
      double value = static_cast<float>(sums.at(index)), error = 0, got = 0;
      epilogue.apply(row, at, 1, &value, &error);
      walk.at(row, offsets);
      readRow(slot, static_cast<const std::byte *>(data),
              offsets[0] + at * walk.inner(0), 1, 1, &got);
      double expected = roundTo(slot.type, value),
             difference = std::abs(expected - got);
      double relative =
          difference /
          (std::abs(expected) > 1.1754944e-38 ? std::abs(expected) : 1);
      bool ok =
          difference == 0 || (std::isnan(expected) && std::isnan(got)) ||
          (std::abs(expected) <= 1e-5 &&
           difference < 2 * unitRoundoff(types::F32)) ||
          (std::abs(expected) > 1e-5 ? relative : difference) <= threshold;
      if (!ok && hasEltwise)
        ok = difference <= std::max(eps, 2e-5) ||
             relative <= std::max(eps, 8e-6);
      if (!ok && hasBinary)
        ok = slot.type == types::F16
                 ? difference <= 5e-3
                 : difference <= 4e-6 || relative <= std::max(eps, 1e-5);
      if (ok)
        continue;
      ++findings.failures;
      findings.failing.push_back(index);
      addWorst(findings,
               {index, got, expected, difference, 0, sums.at(index), true});
    }
  verdict.failures = findings.failures;
  verdict.failing = std::move(findings.failing);
  verdict.worst = std::move(findings.worst);
  return verdict;
}
