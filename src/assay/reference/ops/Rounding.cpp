// Rounding to integers, and the next representable number. Rounding through a
// wider float is exact. next_after works on the codes of its own format, where
// consecutive numbers of one sign have consecutive codes. Source: StableHLO
// spec (ceil, floor, round_nearest_afz, round_nearest_even), CHLO next_after,
// IEEE 754 nextUp.
#include "assay/reference/ops/Loops.h"
#include "assay/reference/ops/QuadMath.h"

#include <cmath>

namespace assay::reference {

namespace {

struct Ceil {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (std::is_same_v<T, Quad>)
      return ceilq(x);
    else
      return std::ceil(x);
  }
};
struct Floor {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (std::is_same_v<T, Quad>)
      return floorq(x);
    else
      return std::floor(x);
  }
};
/// Rounds ties away from zero: adds the largest number below one half, then
/// truncates.
struct RoundAfz {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (std::is_same_v<T, Quad>)
      return roundq(x);
    else
      return std::trunc(
          x + std::copysign(T(0.5) - std::numeric_limits<T>::epsilon() / 4, x));
  }
};
struct RoundEven {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (std::is_same_v<T, Quad>)
      return rintq(x);
    else
      return std::rint(x);
  }
};

struct NextAfter {
  template <typename T> ASSAY_INLINE T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, Quad>)
      return nextafterq(x, y);
    else
      return std::nextafter(x, y);
  }
};

} // namespace

/// next_after for a narrow format. Formats without infinity stop at their
/// largest number.
template <typename T> static T nextAfterNarrow(T from, T to) {
  constexpr numerics::FormatInfo kInfo = numerics::formatInfo(T::kFormat);
  using Code = typename T::Code;
  float x = from, y = to;
  if (x != x || y != y)
    return numerics::quietNan<T>();
  if (x == y)
    return to;
  if constexpr (!kInfo.hasSign()) {
    return T::fromCode(static_cast<Code>(from.code + (y > x ? 1 : -1)));
  } else {
    const auto sign = static_cast<Code>(kInfo.signCode());
    const auto smallest = static_cast<Code>(1);
    if (x == 0)
      return T::fromCode(y > 0 ? smallest : static_cast<Code>(smallest | sign));
    bool grows = (y > x) == (x > 0);
    const auto magnitude = static_cast<Code>(from.code & ~sign);
    if (grows && !kInfo.hasInfinity() && magnitude == kInfo.maxFiniteCode())
      return from;
    auto moved = static_cast<Code>(magnitude + (grows ? 1 : -1));
    bool keepsSign = x < 0 && (moved != 0 || kInfo.hasNegativeZero());
    return T::fromCode(static_cast<Code>(moved | (keepsSign ? sign : 0)));
  }
}

template <typename T> static void nextAfterLoop(const ElementwiseArgs &args) {
  const T *from = static_cast<const T *>(args.in[0]);
  const T *to = static_cast<const T *>(args.in[1]);
  T *out = static_cast<T *>(args.out);
  for (int64_t i = 0; i < args.count; ++i)
    out[i] = nextAfterNarrow(from[i], to[i]);
}

namespace loops {

LoopChoice ceil(const LoopQuery &query) {
  return chooseSame<Ceil, 1>(query, FastFloatTypes{});
}
LoopChoice floor(const LoopQuery &query) {
  return chooseSame<Floor, 1>(query, FastFloatTypes{});
}
LoopChoice roundNearestAfz(const LoopQuery &query) {
  return chooseSame<RoundAfz, 1>(query, FastFloatTypes{});
}
LoopChoice roundNearestEven(const LoopQuery &query) {
  return chooseSame<RoundEven, 1>(query, FastFloatTypes{});
}

LoopChoice nextAfter(const LoopQuery &query) {
  ElementType type = query.result;
  if (!numerics::isOneOf(numerics::NarrowFloatTypes{}, type))
    return chooseMath<NextAfter, 2>(query, FloatLoopTypes{});
  LoopChoice choice;
  choice.operands.assign(2, type);
  choice.result = type;
  choice.loop = numerics::dispatch<numerics::NarrowFloatTypes>(
      type, [](auto tag) -> ElementwiseLoop {
        return nextAfterLoop<typename decltype(tag)::Type>;
      });
  return choice;
}

} // namespace loops
} // namespace assay::reference
