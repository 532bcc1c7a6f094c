// Conversion between integers of 8 to 32 bits and f32, for quantised values, of
// which whole images consist. One loop per pair, without branches, so that it
// vectorises.
#include "assay/numerics/ConvertIntegers.h"

#include "assay/support/TargetClones.h"

#include <limits>
#include <type_traits>

namespace assay::numerics {

template <typename To, typename From>
[[gnu::always_inline]] inline To convertOne(From x) {
  if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(x);
  } else {
    // The greatest float below 2^31 is 2^31 - 128.
    using Limits = std::numeric_limits<To>;
    constexpr float kLowest = static_cast<float>(Limits::min()),
                    kHighest = sizeof(To) == 4
                                   ? 0x1.fffffep30f
                                   : static_cast<float>(Limits::max());
    float inside = x > kHighest ? kHighest : x;
    inside = inside < kLowest ? kLowest : inside;
    auto whole = static_cast<int32_t>(x == x ? inside : 0.0f);
    if constexpr (sizeof(To) == 4)
      whole = x > kHighest ? Limits::max() : whole;
    return static_cast<To>(whole);
  }
}

/// Defines `name`, the loop from one type to another.
#define ASSAY_CONVERT_LOOP(name, From, To)                                     \
  ASSAY_CLONES static void name(const void *source, void *target, int64_t n) { \
    const From *from = static_cast<const From *>(source);                      \
    To *to = static_cast<To *>(target);                                        \
    for (int64_t i = 0; i < n; ++i)                                            \
      to[i] = convertOne<To>(from[i]);                                         \
  }
ASSAY_CONVERT_LOOP(fromS8, int8_t, float)
ASSAY_CONVERT_LOOP(fromU8, uint8_t, float)
ASSAY_CONVERT_LOOP(fromS16, int16_t, float)
ASSAY_CONVERT_LOOP(fromU16, uint16_t, float)
ASSAY_CONVERT_LOOP(fromS32, int32_t, float)
ASSAY_CONVERT_LOOP(fromU32, uint32_t, float)
ASSAY_CONVERT_LOOP(toS8, float, int8_t)
ASSAY_CONVERT_LOOP(toU8, float, uint8_t)
ASSAY_CONVERT_LOOP(toS16, float, int16_t)
ASSAY_CONVERT_LOOP(toU16, float, uint16_t)
ASSAY_CONVERT_LOOP(toS32, float, int32_t)
#undef ASSAY_CONVERT_LOOP

ConvertLoop findIntegerLoop(ElementType source, ElementType target) {
  struct Pair {
    uint8_t bits;
    bool isSigned;
    ConvertLoop from, to;
  };
  static constexpr Pair kPairs[] = {
      {8, true, fromS8, toS8},     {8, false, fromU8, toU8},
      {16, true, fromS16, toS16},  {16, false, fromU16, toU16},
      {32, true, fromS32, toS32},  {32, false, fromU32, nullptr},
  };
  auto isF32 = [](ElementType type) {
    return type.isFloat() && type.format == FloatFormat::F32;
  };
  ElementType integer = isF32(target) ? source : target;
  if (!integer.isInteger() || (!isF32(source) && !isF32(target)))
    return nullptr;
  for (const Pair &pair : kPairs)
    if (pair.bits == integer.bits && pair.isSigned == integer.isSigned())
      return isF32(target) ? pair.from : pair.to;
  return nullptr;
}

} // namespace assay::numerics
