// Sizes the integers of exact data from the depth of the sums and the types, and
// the spread of real data.
#include "assay/judge/contraction/Fill.h"
#include "assay/judge/contraction/FillKernels.h"
#include "assay/numerics/Convert.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

/// The largest integer up to which all are exact in the type and safe to
/// multiply in pairs on processors whose 8-bit products meet in 16 bits (2 *
/// 127 * 127 < 2^15).
static int64_t integerLimit(ElementType type) {
  if (type == types::S8 || type == types::U8)
    return 127;
  if (type.bits <= 8)
    return static_cast<int64_t>(
        std::min(maxValue(type),
                 type.isFloat() ? std::ldexp(1.0, digitsOf(type)) : 127));
  return type == types::BF16 ? 256 : type == types::F16 ? 2048 : 1 << 16;
}

/// The same for a factor, which the engine may round to a narrower type.
static int64_t factorLimit(const Case &c, int slot) {
  int64_t own = integerLimit(c.slots[slot].type);
  return c.factorRounding == types::None
             ? own
             : std::min(own, integerLimit(c.factorRounding));
}

/// The RMS of sums that a narrow type shows well: few of them saturate, and a
/// step of one changes most.
static double wantedSum(ElementType type) {
  if (type == types::S8)
    return 40;
  if (type == types::U8)
    return 80;
  if (type == types::BF16)
    return 64;
  if (type.isInteger() && type.bits < 8)
    return std::max(1.0, (maxValue(type) - 1) / 2);
  return isNarrowFloat(type)
             ? std::min(std::ldexp(1.0, digitsOf(type) - 1), maxValue(type) / 3)
             : 512;
}

/// The RMS of sums that the type cannot hold: half way between two numbers of a
/// float type, beyond both ends of an integer type.
static double farSum(ElementType type) {
  if (type.isInteger())
    return type.bits <= 8 ? 2 * maxValue(type) : wantedSum(type);
  return std::min(1.5 * std::ldexp(1.0, digitsOf(type)), maxValue(type) / 3);
}

/// Whether the destination is so narrow that sums beyond it are cheap to make.
static bool hasFarSums(const Case &c) {
  ElementType type = c.slots[c.out].type;
  return type.isInteger() ? type.bits <= 8 : type.bits <= 16;
}

double FillPlan::spreadIn(ElementType type) const {
  return type.isInteger() && type.bits < 8
             ? std::min(spread, std::max(0.75, maxValue(type) / 2.5))
             : spread;
}

static bool needsSmallRange(const PostOp &op) {
  static constexpr const char *kCurved[] = {
      "elu",       "exp",  "gelu_erf", "gelu_tanh", "hardsigmoid",
      "hardswish", "log",  "logistic", "mish",      "soft_relu",
      "swish",     "tanh", "clip",     "clip_v2",   "pow"};
  if (op.kind != PostOp::Kind::Eltwise)
    return false;
  for (const char *name : kCurved)
    if (op.name == name)
      return true;
  return false;
}

static double maxZeroPoint(const Case &c, int which) {
  static constexpr const char *kNames[] = {"src", "wei", "dst"};
  const ArgumentValue *zero = c.attributes.zeroPoint(kNames[which]);
  return !zero ? 0 : zero->mask.isSingle() ? std::abs(zero->value) : 2;
}

/// The zero point that is the same for all elements, 0 without one.
static int64_t commonZeroPoint(const Case &c, int which) {
  static constexpr const char *kNames[] = {"src", "wei"};
  const ArgumentValue *zero = c.attributes.zeroPoint(kNames[which]);
  return zero && zero->mask.isSingle() ? static_cast<int64_t>(zero->value) : 0;
}

/// The factor between the sum and the destination: scales that are known, and
/// 1/2 for each per-channel one (see Small::PowersOfTwo).
static double outputScale(const Case &c) {
  double scale = 1;
  const Attributes &attributes = c.attributes;
  for (const ArgumentValue &entry : attributes.scales) {
    double value = entry.mask.isSingle() ? entry.value : 0.5;
    if (value > 0)
      scale *= entry.argument == "dst" ? 1 / value : value;
  }
  for (const PostOp &op : attributes.postOps)
    if (op.name == "linear" && op.alpha != 0)
      scale *= std::abs(op.alpha);
  return scale;
}

static void chooseMirror(FillPlan &plan, int64_t depth) {
  uint32_t bits;
  kernels::hashKeys(plan.seed, 0x5eed, nullptr, 1, &bits);
  plan.mirror = bits % depth;
  if (depth % 2 == 0)
    plan.mirror |= 1; // an odd sum: no position is its own partner
  plan.mirror %= depth;
}

/// Root mean squares: of magnitudes 2 and 3 and of 1 and 2, each as often as the other;
/// of numbers spread evenly from 0, as a share of the largest (1 / sqrt(3)).
static constexpr double kRmsOf2And3 = 2.55, kRmsOf1And2 = 1.58,
                        kRmsOfEven = 0.58;
/// The mean square of a's magnitudes beside a zero point of src: a is about 5.
static constexpr double kSquareBesideZeroPoint = 25;

/// Magnitudes and probabilities of paired data; no pairs when there is no room
/// for them.
static void planPairs(const Case &c, FillPlan &plan, double k, double target,
                      double room) {
  double zeroA = maxZeroPoint(c, 0) + maxZeroPoint(c, 2),
         zeroB = maxZeroPoint(c, 1);
  bool both = !plan.flipA && c.attributes.zeroPoint("src");
  chooseMirror(plan, plan.pairDepth);
  int64_t most = factorLimit(c, c.b);
  plan.bLow = both ? 2 : 1;
  plan.bHigh = std::min<int64_t>(most, both ? 3 : k > 1e6 ? 1 : 2);
  if (both && most < 4) { // no room for b' = -b + epsilon
    plan.paired = false;
    return;
  }
  double aMax = std::min<double>(
      factorLimit(c, c.a), room / (k * (plan.bHigh + both + zeroB)) - zeroA);
  plan.aHigh = std::max<int64_t>(
      1, std::min<int64_t>(static_cast<int64_t>(aMax), both ? 8 : 64));
  // In an odd depth one position is its own partner: K / depth terms of each
  // sum stay whole.
  double bRms = both ? kRmsOf2And3 : plan.bHigh == 2 ? kRmsOf1And2 : 1;
  double alone =
      plan.pairDepth % 2
          ? kRmsOfEven * bRms * std::sqrt(k / static_cast<double>(plan.pairDepth))
          : 0;
  if (alone > 0)
    plan.aHigh = std::min(
        plan.aHigh, std::max<int64_t>(4, static_cast<int64_t>(target / alone)));
  plan.aLow = std::min<int64_t>(2, plan.aHigh);
  plan.paired = plan.aHigh >= 3;
  if (!plan.paired)
    return;
  plan.aHigh -= 1; // delta may add one
  double pairs = k / 2, share = both ? 0.5 : 1;
  plan.deltaProbability =
      std::min(1.0, share * target * target / (pairs * bRms * bRms));
  if (both)
    plan.epsilonProbability = std::min(
        0.5, share * target * target / (pairs * kSquareBesideZeroPoint));
  double whole = alone * static_cast<double>(plan.aHigh);
  plan.typicalSum = std::sqrt(pairs * (plan.deltaProbability * bRms * bRms +
                                       plan.epsilonProbability *
                                   kSquareBesideZeroPoint) +
                              whole * whole);
}

/// Magnitudes of exact data. K: terms per sum; R: length of the paired
/// dimension; D: bits of the output.
static void planExact(const Case &c, FillPlan &plan) {
  const Slot &a = c.slots[c.a], &b = c.slots[c.b], &out = c.slots[c.out];
  double k = std::max<double>(1, c.contraction.depth());
  bool f64 = a.type == types::F64;
  // Block scales are four neighbouring powers of two: three bits each.
  double room = std::ldexp(1.0, (f64 ? 53 : 24) - 3 * c.blockScales());
  double zeroA = maxZeroPoint(c, 0) + maxZeroPoint(c, 2),
         zeroB = maxZeroPoint(c, 1);
  int digits = std::min(digitsOf(out.type), 24);
  bool narrow = digits < 24;
  bool aSigned = isSignedType(a.type), bSigned = isSignedType(b.type);
  // With a zero point of the weights, sum(a) is part of the result and must
  // stay small too: no pairs, small magnitudes.
  bool isFar = plan.kind == FillKind::Range && hasFarSums(c);
  plan.paired = narrow && !isFar && plan.pairDepth >= 4 &&
                (aSigned || bSigned) && !c.attributes.zeroPoint("wei");
  plan.flipA = !bSigned;
  double target = isFar ? farSum(out.type) : wantedSum(out.type);
  if (narrow)
    target = std::max(1.0, target / outputScale(c));
  plan.avoidA = commonZeroPoint(c, 0), plan.avoidB = commonZeroPoint(c, 1);
  if (plan.paired)
    planPairs(c, plan, k, target, room);
  if (!plan.paired) {
    double most = std::sqrt(room / k), zero = std::max(zeroA, zeroB);
    // magnitude^2 * sqrt(K) / 3 is about the RMS of the sum
    double wanted = narrow ? std::sqrt(3 * target / std::sqrt(k)) : 1 << 11;
    int64_t high =
        static_cast<int64_t>(std::max(1.0, std::min(wanted, most - zero)));
    plan.aLow = plan.bLow = 1;
    plan.aHigh = std::min(high, factorLimit(c, c.a));
    plan.bHigh = std::min(high, factorLimit(c, c.b));
    plan.typicalSum =
        std::sqrt(k) * std::max(1.0, plan.aHigh * plan.bHigh / 3.0);
  }
  plan.absoluteSum =
      k * (plan.aHigh + plan.paired + (plan.avoidA != 0) + zeroA) *
      (plan.bHigh + (plan.epsilonProbability > 0) + (plan.avoidB != 0) + zeroB);
  plan.exact = plan.absoluteSum <= room;
  if (!plan.exact)
    plan.note = llvm::formatv(
        "sums of {0} terms cannot be exact in {1} bits with dense data",
        static_cast<int64_t>(k), f64 ? 53 : 24);
}

static bool isFloating(ElementType type) { return !type.isInteger(); }

/// benchdnn's ranges and density: sums of products stay exact in the
/// destination's own precision, by zeros. Source:
/// tests/benchdnn/{matmul,conv}/cfg.cpp and utils/cfg.hpp.
static void planSparse(const Case &c, FillPlan &plan) {
  auto range = [&](ElementType type, bool isA) -> int64_t {
    if (type == types::F32 || type == types::F64)
      return c.matrixRanges ? (isA ? 64 : 128) : 32;
    if (type == types::BF16)
      return isA || !c.matrixRanges ? 4 : 2;
    if (type == types::F16)
      return isA ? 4 : 2;
    return std::min<int64_t>(type == types::U8 ? 8 : 4, integerLimit(type));
  };
  const Slot &a = c.slots[c.a], &b = c.slots[c.b], &out = c.slots[c.out];
  plan.aHigh = range(a.type, true), plan.bHigh = range(b.type, false);
  bool integers = c.hasIntegerSums();
  int digits = std::min(digitsOf(out.type), integers ? 31 : 24);
  double safe =
      std::exp2(digits) / static_cast<double>(plan.aHigh * plan.bHigh);
  plan.density = std::min(
      1.0,
      safe / static_cast<double>(std::max<int64_t>(1, c.contraction.depth())) *
          (integers ? 3 : 1));
  plan.absoluteSum =
      static_cast<double>(c.contraction.depth() * plan.aHigh * plan.bHigh);
}

/// Real data for a narrow destination. A saturated result shows nothing, so
/// results must be small; but products and partial sums must be large, or a
/// narrow accumulator would not show. So the terms come in pairs that cancel
/// except for a rare step of 1. Where no pairs are possible, integers are small.
static void planSmallSums(const Case &c, FillPlan &plan, double k) {
  const Slot &a = c.slots[c.a], &b = c.slots[c.b], &out = c.slots[c.out];
  if (plan.kind != FillKind::Normal)
    return;
  double bRms = b.type.isInteger() ? plan.spreadIn(b.type) : 1,
         target = (out.type.bits == 8 && out.type.isInteger()
                       ? 64
                       : wantedSum(out.type)) /
                  std::max(outputScale(c), 1e-3);
  if (plan.pairDepth >= 4 && plan.pairDepth % 2 == 0 &&
      (isSignedType(a.type) || isSignedType(b.type)) &&
      !c.attributes.zeroPoint("wei")) {
    plan.paired = true;
    plan.flipA = !isSignedType(b.type);
    chooseMirror(plan, plan.pairDepth);
    plan.deltaProbability =
        std::min(1.0, target * target / (k / 2 * bRms * bRms));
    return;
  }
  plan.spread = std::clamp(std::sqrt(target / std::sqrt(k)), 1.0, plan.spread);
}

/// Whether the sums of real data must be made small for the destination.
static bool needsSmallSums(const Case &c) {
  ElementType type = c.slots[c.out].type;
  return c.hasIntegerSums() ? type.isInteger() && digitsOf(type) <= 8
                            : type.bits <= 8;
}

/// A power of two on factor a, so that the sums of real data are of the order of
/// one. Narrow floats keep their precision: their smallest numbers are not
/// used.
static double unitOfReals(const Case &c, FillKind kind, double k) {
  double unit = std::exp2(
      -std::round(std::log2(kind == FillKind::Uniform ? k : std::sqrt(k))));
  ElementType type = c.slots[c.a].type;
  if (type.isInteger())
    return 1;
  return isNarrowFloat(type)
             ? std::max(unit,
                        std::min(1.0, 8 * numerics::minNormal(type.format)))
             : unit;
}

/// Whether both factors have 8 bits and nothing but rounding follows their sums:
/// then they may be at the ends of their type.
static bool takesEnds(const Case &c, const KeptNumbers &kept) {
  auto isByte = [](ElementType type) {
    return type.isInteger() && type.bits == 8;
  };
  return kept.integerEnds && isByte(c.slots[c.a].type) &&
         isByte(c.slots[c.b].type) && c.attributes.empty() && !c.hasBias() &&
         c.contraction.depth() < int64_t{1} << 15;
}

/// Whether NaN and infinity can be planted and reach the output.
static bool takesSpecial(const Case &c, const KeptNumbers &kept) {
  auto holds = [](ElementType type) {
    return type.isFloat() && numerics::formatInfo(type.format).hasNan() &&
           numerics::formatInfo(type.format).hasInfinity();
  };
  // A convolution may multiply its NaN with padding.
  bool arrives = c.contraction.form == Contraction::Form::Matmul ||
                 (c.contraction.form == Contraction::Form::Forward && kept.nan);
  return arrives && c.algorithm == Algorithm::Direct &&
         holds(c.slots[c.a].type) && holds(c.slots[c.b].type) &&
         holds(c.slots[c.out].type) && c.attributes.empty() && c.diffBias < 0;
}

bool judge::showsMore(const Case &c, FillKind kind, const KeptNumbers &kept) {
  if (kind == FillKind::Range)
    return hasFarSums(c) || takesEnds(c, kept);
  return kind != FillKind::Special || takesSpecial(c, kept);
}

/// Exact data and Range data.
static void planIntegers(const Case &c, FillPlan &plan, double k) {
  plan.ends = plan.kind == FillKind::Range && takesEnds(c, plan.kept);
  if (plan.ends) {
    plan.absoluteSum = k * 65536;
    plan.exact = plan.absoluteSum <= 0x1p24;
    plan.typicalSum = 128 * 128 * std::sqrt(k);
    return;
  }
  planExact(c, plan);
  bool curved = false;
  for (const PostOp &op : c.attributes.postOps)
    curved |= needsSmallRange(op);
  if (ElementType type = c.slots[c.a].type; curved && isFloating(type))
    plan.unit = std::max(
        std::exp2(std::round(std::log2(2 / plan.typicalSum))),
        isNarrowFloat(type) ? numerics::minPositive(type.format) : 0.0);
  plan.typicalSum *= plan.unit;
  plan.smallestTerm = plan.aLow * plan.bLow * plan.unit;
}

FillPlan judge::planFill(const Case &c, FillKind kind, uint64_t seed,
                         const KeptNumbers &kept) {
  FillPlan plan;
  plan.kind = kind;
  plan.kept = kept;
  plan.seed = seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(kind);
  plan.pairDepth = c.evenDepth ? c.evenDepth : c.aShape.depth;
  double k = std::max<double>(1, c.contraction.depth());
  bool integers = c.hasIntegerSums();
  plan.special = kind == FillKind::Special;
  if (plan.ofIntegers()) {
    planIntegers(c, plan, k);
    return plan;
  }
  plan.exact = integers || kind == FillKind::Sparse;
  if (kind == FillKind::Sparse) {
    planSparse(c, plan);
    return plan;
  }
  if (kind == FillKind::Cancel && plan.pairDepth >= 4) {
    plan.paired = true;
    chooseMirror(plan, plan.pairDepth);
    plan.flipA = !isSignedType(c.slots[c.b].type);
  }
  if (integers)
    plan.spread = kind == FillKind::Uniform ? 100 : 40;
  if (needsSmallSums(c))
    planSmallSums(c, plan, k);
  if (!integers)
    plan.unit = unitOfReals(c, kind, k);
  plan.typicalSum =
      !integers
          ? 1
          : std::sqrt(k) * plan.spread *
                (plan.paired ? std::sqrt(plan.deltaProbability) : plan.spread);
  // A NaN must reach the results that it belongs to, and no others.
  // Convolutions may multiply it with padding.
  bool product = c.contraction.form == Contraction::Form::Matmul;
  auto holdsNan = [](ElementType type) {
    return type.isFloat() && numerics::formatInfo(type.format).hasNan();
  };
  bool floats = holdsNan(c.slots[c.b].type) && holdsNan(c.slots[c.out].type);
  int64_t elements = c.slots[c.b].elements(), columns = c.contraction.n;
  if (kind == FillKind::Normal && product && floats && columns >= 16 &&
      c.attributes.empty() && !c.hasBias()) {
    uint32_t bits;
    kernels::hashKeys(plan.seed, 0x9a9, nullptr, 1, &bits);
    plan.nanAt = bits % elements;
  }
  return plan;
}
