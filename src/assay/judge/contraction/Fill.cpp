// Walks a factor as [outer, depth, inner] in blocks, with a table that says for each
// position along `depth` which key it shares with its partner and whether it is the
// pair's second half.
#include "assay/judge/contraction/Fill.h"
#include "assay/judge/contraction/FillKernels.h"
#include "assay/numerics/Convert.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;

static constexpr int64_t kBlock = 1024;

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

/// Integers, half of them the limits of their type.
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

/// Moves every fourth line of one factor of a product to the upper end of its
/// type, to the largest or the largest odd number: sums of such lines have more
/// digits than a float.
static void alignEnds(const Case &c, bool isA, int64_t at, int64_t n,
                      float *values) {
  const FactorShape &shape = isA ? c.aShape : c.bShape;
  if (c.contraction.form != Contraction::Form::Matmul)
    return;
  auto high = static_cast<float>(maxValue(c.slots[isA ? c.a : c.b].type));
  for (int64_t i = 0; i < n; ++i) {
    int64_t line = (at + i) / shape.inner / shape.depth * shape.inner +
                   (at + i) % shape.inner;
    if (line % 4 == 1)
      values[i] = high - (std::fmod(values[i], 2.0f) == 0 ? 0.0f : 1.0f);
  }
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
    if (!isProduct) { // a few elements of an image
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
    kernels::scale(static_cast<float>(plan.spreadIn(type)), n, out);
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

static void plantLines(const Case &c, const FillPlan &plan, bool isA, int64_t at,
                       int64_t n, float *values) {
  if (plan.ends)
    alignEnds(c, isA, at, n, values);
  if (plan.special)
    plantSpecial(c, plan, isA, at, n, values);
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
      plantLines(c, plan, isA, i, n, out + (i - begin));
      i += n;
      continue;
    }
    int64_t n = std::min({kBlock, shape.inner - in, end - i});
    std::memset(same, table.second[r], n);
    factorBlock(c, plan, isA,
                (o * shape.depth + table.key[r]) * shape.inner + in, nullptr,
                same, n, out + (i - begin));
    plantLines(c, plan, isA, i, n, out + (i - begin));
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
      // Not negative where the previous content is read as another type of
      // integers, so that it is the same number in both.
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
