// convert, bitcast_convert to a type of the same width, reduce_precision and
// constant_like. The general conversion is numerics::convertArray. The most
// common pairs of types have vectorised loops here with the same results: float
// to integer truncates, saturates, and maps NaN to 0; integers wrap; any value
// but 0 becomes true. reduce_precision rounds to nearest even on the bits of
// the source format, overflows to infinity, and flushes numbers below the
// smallest normal number of the reduced exponent range. In a shadow run
// (operand wider than the operation's own type) it returns its operand, because
// only the value is rounded.
// Source: StableHLO spec (convert, bitcast_convert, reduce_precision);
// saturation and flushing follow XLA.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Quantization.h"
#include "assay/program/Types.h"
#include "assay/reference/ops/Loops.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <cstring>
#include <limits>

namespace assay::reference {

using FastConversionTypes =
    TypeList<Pred, int8_t, uint8_t, int16_t, int32_t, uint32_t, int64_t,
             uint64_t, float, double>;

namespace {

template <typename To> struct ConvertTo {
  template <typename From> ASSAY_INLINE To operator()(From x) const {
    if constexpr (std::is_same_v<From, Pred>)
      return static_cast<To>(x.byte != 0);
    else if constexpr (std::is_same_v<To, Pred>)
      return Pred(x != 0);
    else if constexpr (kIsFloat<From> && kIsInteger<To>)
      return truncated(x);
    else
      return static_cast<To>(x);
  }

private:
  // Clamp to the nearest floats inside the range before the cast, so that it is
  // defined and needs no branch.
  template <typename From> static ASSAY_INLINE To truncated(From x) {
    using Limits = std::numeric_limits<To>;
    constexpr From kAbove = static_cast<From>(To(1) << (Limits::digits - 1)) *
                            2; // first value above the range
    constexpr From kLow = static_cast<From>(Limits::min());
    constexpr bool kExact = Limits::digits <= std::numeric_limits<From>::digits;
    constexpr From kHigh =
        kExact ? static_cast<From>(Limits::max())
               : kAbove * (1 - std::numeric_limits<From>::epsilon() / 2);
    From inside = x > kLow ? x : kLow;
    inside = inside < kHigh ? inside : kHigh;
    To value = static_cast<To>(
        static_cast<std::conditional_t<(sizeof(To) < 4), int32_t, To>>(inside));
    value = x >= kAbove ? Limits::max() : value;
    return x != x ? To(0) : value;
  }
};

/// Copies elements of a given size.
struct Copy {
  template <typename T> ASSAY_INLINE T operator()(T x) const { return x; }
};

/// Rounds f32 and f64 on their bits.
struct ReducePrecision {
  int32_t exponentBits, mantissaBits;
  explicit ReducePrecision(const ElementwiseArgs &args)
      : exponentBits(args.parameter[0]), mantissaBits(args.parameter[1]) {}

  template <typename T> ASSAY_INLINE T operator()(T x) const {
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
    constexpr int kExponent = 8 * static_cast<int>(sizeof(T)) - 1 - kMantissa;
    return std::bit_cast<T>(
        reduce<U, kExponent, kMantissa>(std::bit_cast<U>(x)));
  }

  /// Rounds a code of an IEEE format with these field widths.
  template <typename U, int kExponent, int kMantissa>
  ASSAY_INLINE U reduce(U code) const {
    constexpr U kMagnitude = (U(1) << (kExponent + kMantissa)) - 1;
    constexpr U kInfinity = ((U(1) << kExponent) - 1) << kMantissa;
    const U sign = code & ~kMagnitude;
    U magnitude = code & kMagnitude;
    if (magnitude > kInfinity) // a NaN needs a mantissa bit
      return mantissaBits == 0 ? sign | kInfinity : code;
    if (mantissaBits <
        kMantissa) { // add half of the last kept bit, minus one if that bit is
                     // even
      const int dropped = kMantissa - mantissaBits;
      const U lastKept = (magnitude >> dropped) & 1;
      magnitude = (magnitude + ((U(1) << (dropped - 1)) - 1) + lastKept) &
                  static_cast<U>(~((U(1) << dropped) - 1));
    }
    if (exponentBits < kExponent) {
      constexpr int kBias = (1 << (kExponent - 1)) - 1;
      const int reducedBias = (1 << (exponentBits - 1)) - 1;
      const U largest =
          static_cast<U>(kBias + reducedBias); // range of biased exponents that
                                               // remain
      const U smallest = static_cast<U>(kBias - reducedBias + 1);
      const U exponent = magnitude >> kMantissa;
      magnitude = exponent > largest    ? kInfinity
                  : exponent < smallest ? U(0)
                                        : magnitude;
    }
    return sign | magnitude;
  }
};

/// Rounds the 16-bit formats, on their own codes.
template <FloatFormat Format> struct ReduceNarrow : ReducePrecision {
  using ReducePrecision::ReducePrecision;
  ASSAY_INLINE uint16_t operator()(uint16_t code) const {
    constexpr numerics::FormatInfo kInfo = numerics::formatInfo(Format);
    return static_cast<uint16_t>(
        reduce<uint32_t, kInfo.exponentBits, kInfo.mantissaBits>(code &
                                                                 0x7FFFu) |
        (code & 0x8000u));
  }
};

template <typename From, typename To> LoopChoice fastConversion() {
  LoopChoice choice;
  choice.loop = loopOf<true, ConvertTo<ValueOf<To>>, To, From>();
  choice.operands = {numerics::elementTypeOf<From>()};
  choice.result = numerics::elementTypeOf<To>();
  return choice;
}

template <typename From, typename... Tos>
bool chooseTarget(const LoopQuery &query, TypeList<Tos...>,
                  LoopChoice &choice) {
  return ((isType<Tos>(query.result) &&
           (choice = fastConversion<From, Tos>(), true)) ||
          ...);
}

template <typename... Froms>
bool chooseSource(const LoopQuery &query, TypeList<Froms...> list,
                  LoopChoice &choice) {
  return ((isType<Froms>(query.operands[0]) &&
           chooseTarget<Froms>(query, list, choice)) ||
          ...);
}

} // namespace

static LoopChoice copyOf(const LoopQuery &query) {
  LoopChoice choice;
  choice.operands = {query.operands[0]};
  choice.result = query.result;
  choice.loop = numerics::dispatchStorage(
      query.result.storageBytes(), [](auto tag) -> ElementwiseLoop {
        using T = typename decltype(tag)::Type;
        return loopOf<true, Copy, T, T>();
      });
  return choice;
}

static int32_t integerAttribute(mlir::Operation *op, llvm::StringRef name) {
  auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? static_cast<int32_t>(value.getInt()) : 0;
}

namespace loops {

LoopChoice convert(const LoopQuery &query) {
  if (query.operands[0] == query.result)
    return copyOf(query);
  if (isType<float>(query.operands[0]) && isType<BF16>(query.result))
    return fastConversion<float, BF16>();
  if (isType<BF16>(query.operands[0]) && isType<float>(query.result))
    return fastConversion<BF16, float>();
  LoopChoice choice;
  if (chooseSource(query, FastConversionTypes{}, choice))
    return choice;
  choice.conversion = true;
  return choice;
}

LoopChoice bitcastConvert(const LoopQuery &query) {
  ElementType from = query.operands[0];
  return from.bits == query.result.bits ? copyOf(query) : LoopChoice();
}

LoopChoice reducePrecision(const LoopQuery &query) {
  ElementType type = query.operands[0];
  if (!type.isFloat())
    return {};
  std::optional<ElementType> own =
      program::elementTypeOf(query.op->getOperand(0).getType());
  if (own && !(numerics::expressedOf(*own) == type))
    return copyOf(query);
  LoopChoice choice;
  if (type.format == FloatFormat::BF16 || type.format == FloatFormat::F16) {
    choice = copyOf(query);
    choice.loop = type.format == FloatFormat::BF16
                      ? loopOf<true, ReduceNarrow<FloatFormat::BF16>, uint16_t,
                               uint16_t>()
                      : loopOf<true, ReduceNarrow<FloatFormat::F16>, uint16_t,
                               uint16_t>();
  } else {
    choice = chooseSame<ReducePrecision, 1>(query, TypeList<float, double>{});
  }
  choice.parameter[0] = integerAttribute(query.op, "exponent_bits");
  choice.parameter[1] = integerAttribute(query.op, "mantissa_bits");
  return choice;
}

LoopChoice constantLike(const LoopQuery &query) {
  LoopChoice choice;
  auto value = query.op->getAttrOfType<mlir::TypedAttr>("value");
  double parts[2] = {0, 0};
  int64_t integer = 0;
  ElementType source = ElementType::complex(FloatFormat::F64);
  const void *data = parts;
  if (auto number = mlir::dyn_cast_or_null<mlir::FloatAttr>(value)) {
    parts[0] = number.getValueAsDouble();
  } else if (auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(value)) {
    bool isUnsigned = query.result.kind == Kind::UInt || query.result.isBool();
    integer =
        static_cast<int64_t>(isUnsigned ? number.getValue().getZExtValue()
                                        : number.getValue().getSExtValue());
    source = isUnsigned ? ElementType::unsignedInteger(64)
                        : ElementType::integer(64);
    data = &integer;
  } else if (auto pair = mlir::dyn_cast_or_null<mlir::ArrayAttr>(
                 query.op->getAttr("value"));
             pair && pair.size() == 2 && mlir::isa<mlir::FloatAttr>(pair[0]) &&
             mlir::isa<mlir::FloatAttr>(pair[1])) {
    for (unsigned i = 0; i < 2; ++i)
      parts[i] = mlir::cast<mlir::FloatAttr>(pair[i]).getValueAsDouble();
  } else {
    return choice;
  }
  struct alignas(16) Element {
    char bytes[32];
  };
  auto element = std::make_shared<Element>();
  numerics::convertArray(source, data, query.result, element->bytes, 1);
  choice.constant = element;
  return choice;
}

} // namespace loops
} // namespace assay::reference
