// Plans and runs the fills. The plan sizes the integers from the depth of the
// sums and the types; the run walks the factor as [outer, depth, inner] in
// blocks, with a table that says for each position along `depth` which key it
// shares with its partner and whether it is the pair's second half.
#include "assay/judge/contraction/Fill.h"
#include "assay/judge/contraction/FillKernels.h"
#include "assay/numerics/Convert.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;

static constexpr int64_t kBlock = 1024;

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
/// float type, beyond both ends of one of integers.
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

/// The standard deviation of real data in an integer type.
static double spreadIn(ElementType type, double spread) {
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
  double bRms = both ? 2.55 : plan.bHigh == 2 ? 1.58 : 1;
  double alone =
      plan.pairDepth % 2
          ? 0.58 * bRms * std::sqrt(k / static_cast<double>(plan.pairDepth))
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
  if (both) // a is about 5
    plan.epsilonProbability =
        std::min(0.5, share * target * target / (pairs * 25));
  double whole = alone * static_cast<double>(plan.aHigh);
  plan.typicalSum = std::sqrt(pairs * (plan.deltaProbability * bRms * bRms +
                                       plan.epsilonProbability * 25) +
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
/// but for a rare step of 1. Where no pairs are possible, integers are small.
static void planSmallSums(const Case &c, FillPlan &plan, double k) {
  const Slot &a = c.slots[c.a], &b = c.slots[c.b], &out = c.slots[c.out];
  if (plan.kind != FillKind::Normal)
    return;
  double bRms = b.type.isInteger() ? spreadIn(b.type, plan.spread) : 1,
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

/// Whether NaN and infinity can be planted and come out.
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

namespace {
/// Along `depth`: the key shared with the partner, and 1 where the position is
/// the second of its pair.
struct PairTable {
  std::vector<int32_t> key;
  std::vector<uint8_t> second;
};
} // namespace

static PairTable pairTable(const FillPlan &plan, int64_t depth) {
  PairTable table;
  table.key.resize(depth);
  table.second.resize(depth, 0);
  int64_t length = std::min(plan.pairDepth, depth);
  for (int64_t r = 0; r < depth; ++r) {
    int64_t in = r % length,
            partner =
                plan.paired
                    ? r - in + ((plan.mirror - in) % length + length) % length
                    : r;
    table.key[r] = static_cast<int32_t>(std::min(r, partner));
    table.second[r] = partner < r;
  }
  return table;
}

/// Rounds floats to values that the type holds.
static void roundBlock(ElementType type, int64_t n, float *values) {
  uint16_t narrow[kBlock];
  if (type == types::BF16) {
    auto *out = reinterpret_cast<numerics::BF16 *>(narrow);
    numerics::convertF32ToBF16(values, out, n);
    numerics::convertBF16ToF32(out, values, n);
  } else if (type == types::F16) {
    auto *out = reinterpret_cast<numerics::F16 *>(narrow);
    numerics::convertF32ToF16(values, out, n);
    numerics::convertF16ToF32(out, values, n);
  } else if (isNarrowFloat(type)) {
    auto most = static_cast<float>(maxValue(type));
    for (int64_t i = 0; i < n; ++i)
      if (std::isfinite(values[i]))
        values[i] = std::clamp(values[i], -most, most);
    numerics::convertArray(types::F32, values, type, narrow, n);
    numerics::convertArray(type, narrow, types::F32, values, n);
  } else if (type.isInteger()) {
    float low = static_cast<float>(std::max(minValue(type), -1048576.0)),
          high = static_cast<float>(std::min(maxValue(type), 1048576.0));
    kernels::roundBetween(low, high, n, values);
  }
}

/// Integers of which half are the ends of their type.
static void endsBlock(ElementType type, const uint32_t *bits, int64_t n,
                      float *values) {
  uint32_t words[kBlock];
  kernels::rehash(bits, n, 0xe2d5u, words);
  auto low = static_cast<float>(minValue(type)),
       high = static_cast<float>(maxValue(type));
  for (int64_t i = 0; i < n; ++i)
    values[i] = words[i] & 1 ? words[i] & 2 ? low : high
                             : std::floor(low + (high - low + 1) *
                                                    static_cast<float>(
                                                        words[i] >> 8) *
                                                    0x1p-24f);
}

/// Puts special numbers into a block of one factor that begins at element `at`
/// of [outer, depth, inner].
static void plantSpecial(const Case &c, const FillPlan &plan, bool isA,
                         int64_t at, int64_t n, float *values) {
  static constexpr float kInf = std::numeric_limits<float>::infinity(),
                         kNan = std::numeric_limits<float>::quiet_NaN();
  const FactorShape &shape = isA ? c.aShape : c.bShape;
  bool isProduct = c.contraction.form == Contraction::Form::Matmul;
  ElementType type = c.slots[isA ? c.a : c.b].type;
  if (!type.isFloat() || (!isProduct && !isA))
    return;
  numerics::FormatInfo format = numerics::formatInfo(type.format);
  bool hasInfinity = format.hasInfinity() && plan.kept.infinity,
       isWide = format.minExponent() < -120;
  int64_t zeros = shape.depth / 3, nans = (zeros + 1) % shape.depth;
  for (int64_t i = 0; i < n; ++i) {
    float &x = values[i];
    uint32_t bits;
    if (!isProduct) { // an image's elements, few of them
      kernels::hashKeys(plan.seed + 0x51ee, at + i, nullptr, 1, &bits);
      x = bits % 256 == 0 && format.hasNan() ? kNan : x;
      continue;
    }
    int64_t in = (at + i) % shape.inner, r = (at + i) / shape.inner % shape.depth,
            line = (at + i) / shape.inner / shape.depth * shape.inner + in;
    if (isA && isWide && line % 4 == 0) {
      x = std::copysign(std::max(std::abs(x), 0x1p-6f), x) *
          (line % 8 == 0 ? 0x1p-100f : 0x1p40f);
      continue;
    }
    if (r != zeros && !(isA && r == nans))
      continue;
    kernels::hashKeys(plan.seed + (isA ? 0x51ec : 0x51ed), line, nullptr, 1,
                      &bits);
    uint32_t kind = bits % 4;
    if (r == zeros && kind < 2)
      x = std::copysign(kind == 1 && hasInfinity ? kInf : 0.0f, x);
    else if (isA && r == nans && kind == 2 && format.hasNan())
      x = kNan;
  }
}

/// One block of a factor: keys, values, pairing, rounding.
static void factorBlock(const Case &c, const FillPlan &plan, bool isA,
                        uint64_t base, const int32_t *offset,
                        const uint8_t *second, int64_t n, float *out) {
  uint32_t bits[kBlock], other[kBlock];
  ElementType type = c.slots[isA ? c.a : c.b].type;
  kernels::hashKeys(plan.seed + (isA ? 0 : 0x10001), base, offset, n, bits);
  bool isInteger = type.isInteger();
  if (plan.ends)
    return endsBlock(type, bits, n, out);
  if (plan.ofIntegers()) {
    kernels::integers(bits, n, isA ? plan.aLow : plan.bLow,
                      isA ? plan.aHigh : plan.bHigh, isSignedType(type), out);
  } else if (plan.kind == FillKind::Uniform) {
    kernels::uniforms(bits, n, out);
  } else if (plan.kind == FillKind::Heavy) {
    kernels::heavyTailed(bits, n, out);
  } else {
    kernels::normals(bits, n, out);
  }
  if (plan.kind == FillKind::Sparse) {
    kernels::integers(bits, n, 0, isA ? plan.aHigh : plan.bHigh,
                      isSignedType(type), out);
    kernels::rehash(bits, n, 0x5ba65eu, other);
    uint32_t limit =
        static_cast<uint32_t>((isA ? plan.density : 1.0) * 4294967295.0);
    for (int64_t i = 0; i < n; ++i)
      out[i] = other[i] <= limit ? out[i] : 0;
    return;
  }
  if (!plan.ofIntegers() && isInteger)
    kernels::scale(static_cast<float>(spreadIn(type, plan.spread)), n, out);
  if (plan.paired && isA == plan.flipA)
    kernels::negateWhere(second, n, out);
  if (plan.paired && isA && plan.kind != FillKind::Cancel) {
    kernels::rehash(bits, n, 0xde17a5u, other);
    kernels::addDelta(other, second, n, plan.deltaProbability, out);
  } else if (plan.epsilonProbability > 0 && !isA) {
    kernels::rehash(bits, n, 0xe9517u, other);
    kernels::addDelta(other, second, n, plan.epsilonProbability, out);
  } else if (plan.paired && isA) {
    float noise[kBlock];
    kernels::rehash(bits, n, 0xde17a5u, other);
    kernels::normals(other, n, noise);
    kernels::addWhere(second, noise, isInteger ? 1.0f : 0.00390625f, n, out);
  }
  if (float zero = static_cast<float>(isA ? plan.avoidA : plan.avoidB);
      plan.ofIntegers() && zero != 0)
    for (int64_t i = 0; i < n; ++i)
      out[i] += out[i] == zero ? (zero > 0 ? 1.0f : -1.0f) : 0.0f;
  if (!isSignedType(type) && !plan.ofIntegers())
    for (int64_t i = 0; i < n; ++i)
      out[i] = std::abs(out[i]);
  if (isA && plan.unit != 1)
    kernels::scale(static_cast<float>(plan.unit), n, out);
  if (!plan.ofIntegers())
    roundBlock(type, n, out);
}

/// Elements [begin, end) of a factor.
static void fillFactor(const Case &c, const FillPlan &plan, bool isA,
                       const PairTable &table, int64_t begin, int64_t end,
                       float *out) {
  const FactorShape &shape = isA ? c.aShape : c.bShape;
  uint8_t same[kBlock];
  for (int64_t i = begin; i < end;) {
    int64_t in = i % shape.inner, r = i / shape.inner % shape.depth,
            o = i / shape.inner / shape.depth;
    if (shape.inner == 1) {
      int64_t n = std::min({kBlock, shape.depth - r, end - i});
      factorBlock(c, plan, isA, o * shape.depth, table.key.data() + r,
                  table.second.data() + r, n, out + (i - begin));
      if (plan.special)
        plantSpecial(c, plan, isA, i, n, out + (i - begin));
      i += n;
      continue;
    }
    int64_t n = std::min({kBlock, shape.inner - in, end - i});
    std::memset(same, table.second[r], n);
    factorBlock(c, plan, isA,
                (o * shape.depth + table.key[r]) * shape.inner + in, nullptr,
                same, n, out + (i - begin));
    if (plan.special)
      plantSpecial(c, plan, isA, i, n, out + (i - begin));
    i += n;
  }
}

// ---- the other tensors: bias, previous output, second operands, scales, zero
// points ----

namespace {
enum class Small {
  Integers,
  Positive,
  PowersOfTwo,
  BlockScales,
  SmallZeroPoints,
  Normal
};
} // namespace

/// The type that a slot's content is read as: a sum may read what dst held before as
/// another type of the same width.
static ElementType typeAsRead(const Case &c, int slot) {
  if (slot == c.sumInput && c.attributes.sum()->type != types::None)
    return c.attributes.sum()->type;
  return c.slots[slot].type;
}

static Small smallKind(const Case &c, const FillPlan &plan, int slot) {
  for (int i = 0; i < 3; ++i) {
    if (slot == c.scaleSlots[i])
      return Small::PowersOfTwo;
    if (slot == c.zeroPointSlots[i])
      return Small::SmallZeroPoints;
  }
  for (int block : c.blockScaleSlots)
    if (slot == block)
      return plan.ofIntegers() || plan.kind == FillKind::Sparse
                 ? Small::PowersOfTwo
                 : Small::BlockScales;
  for (size_t i = 0; i < c.postOpSlots.size(); ++i) {
    if (slot != c.postOpSlots[i])
      continue;
    const PostOp &op = c.attributes.postOps[i];
    if (op.name == "mul" || op.name == "div" || op.kind == PostOp::Kind::Prelu)
      return plan.ofIntegers() || plan.kind == FillKind::Sparse ||
                     op.name == "div"
                 ? Small::PowersOfTwo
                 : Small::Normal;
  }
  if (typeAsRead(c, slot).isInteger())
    return Small::Integers;
  return plan.ofIntegers() || plan.kind == FillKind::Sparse ? Small::Integers
                                                            : Small::Normal;
}

static const ArgumentValue *singleValue(const Case &c, int slot) {
  static constexpr const char *kNames[] = {"src", "wei", "dst"};
  for (int i = 0; i < 3; ++i) {
    const ArgumentValue *value = nullptr;
    if (slot == c.scaleSlots[i])
      value = c.attributes.scale(kNames[i]);
    if (slot == c.zeroPointSlots[i])
      value = c.attributes.zeroPoint(kNames[i]);
    if (value && value->mask.isSingle())
      return value;
  }
  return nullptr;
}

static void fillSmall(const Case &c, const FillPlan &plan, int slot,
                      int64_t begin, int64_t end, float *out) {
  const Slot &s = c.slots[slot];
  if (const ArgumentValue *value = singleValue(c, slot)) {
    std::fill(out, out + (end - begin),
              static_cast<float>(roundTo(s.type, value->value)));
    return;
  }
  Small kind = smallKind(c, plan, slot);
  ElementType type = typeAsRead(c, slot);
  bool isInteger = type.isInteger(), isSigned = isSignedType(type);
  bool isScale = llvm::is_contained(c.scaleSlots, slot) ||
                 llvm::is_contained(c.blockScaleSlots, slot);
  for (int64_t at = begin; at < end; at += kBlock) {
    int64_t n = std::min(kBlock, end - at);
    float *block = out + (at - begin);
    uint32_t bits[kBlock];
    kernels::hashKeys(plan.seed + 0x20003 * (slot + 2), at, nullptr, n, bits);
    switch (kind) {
    case Small::Integers:
    case Small::Positive:
      // Read as another type of integers, the previous content means the same.
      kernels::integers(bits, n, 1, 4, isSigned && type == s.type, block);
      if (!isInteger)
        kernels::scale(static_cast<float>(plan.unit), n, block);
      break;
    case Small::SmallZeroPoints:
      for (int64_t i = 0; i < n; ++i)
        block[i] = static_cast<float>(
            roundTo(s.type, static_cast<double>(bits[i] >> 8 & 3) - 1));
      break;
    case Small::PowersOfTwo:
      for (int64_t i = 0; i < n; ++i) {
        float magnitude =
            isInteger
                ? static_cast<float>(1 << (bits[i] >> 8 & 1))
                : std::ldexp(1.0f, static_cast<int>(bits[i] >> 8 & 3) - 2);
        block[i] =
            !isScale && isSigned && (bits[i] & 1) ? -magnitude : magnitude;
      }
      break;
    case Small::BlockScales: // significands of four bits
      for (int64_t i = 0; i < n; ++i)
        block[i] = std::ldexp(1.0f + static_cast<float>(bits[i] >> 16 & 7) / 8,
                              static_cast<int>(bits[i] >> 8 & 3) - 2);
      break;
    case Small::Normal:
      kernels::normals(bits, n, block);
      break;
    }
    if (isNarrowFloat(s.type) || kind == Small::Normal)
      roundBlock(type, n, block);
  }
}

void judge::fillSlot(const Case &c, const FillPlan &plan, int slot,
                     float *values, ThreadPool &pool) {
  int64_t count = c.slots[slot].elements();
  if (slot != c.a && slot != c.b) {
    pool.parallelFor(count, 1 << 16, [&](int64_t begin, int64_t end) {
      fillSmall(c, plan, slot, begin, end, values + begin);
    });
    return;
  }
  PairTable table = pairTable(plan, (slot == c.a ? c.aShape : c.bShape).depth);
  pool.parallelFor(count, 1 << 16, [&](int64_t begin, int64_t end) {
    fillFactor(c, plan, slot == c.a, table, begin, end, values + begin);
  });
  if (slot == c.b && plan.nanAt >= 0)
    values[plan.nanAt] = std::numeric_limits<float>::quiet_NaN();
}

float judge::fillElement(const Case &c, const FillPlan &plan, int slot,
                         int64_t index) {
  float value = 0;
  if (slot == c.b && index == plan.nanAt)
    return std::numeric_limits<float>::quiet_NaN();
  if (slot != c.a && slot != c.b)
    fillSmall(c, plan, slot, index, index + 1, &value);
  else
    fillFactor(c, plan, slot == c.a,
               pairTable(plan, (slot == c.a ? c.aShape : c.bShape).depth),
               index, index + 1, &value);
  return value;
}
