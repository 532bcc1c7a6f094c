// Bits of integers and predicates. Narrow integers are stored sign- or
// zero-extended in a byte. Functors that use bits beyond the logical width mask
// them, and the conversion back wraps. A shift by the width or more (the amount
// is read as unsigned) gives 0, or the sign for an arithmetic right shift.
// Source: StableHLO spec (and, or, xor, not, popcnt, count_leading_zeros,
// shift_*).
#include "assay/reference/ops/Loops.h"

namespace assay::reference {

using BitTypes = numerics::Concat<IntegerLoopTypes, TypeList<Pred>>;

namespace {

struct And {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(a && b);
    else
      return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(a || b);
    else
      return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(static_cast<bool>(a) != static_cast<bool>(b));
    else
      return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    if constexpr (std::is_same_v<T, Pred>)
      return Pred(!a);
    else
      return static_cast<T>(~a);
  }
};

/// Base of functors that need the logical width.
struct Sized {
  int32_t bits;
  explicit Sized(const ElementwiseArgs &args) : bits(args.bits) {}
  /// The element's bits, zero above the logical width.
  template <typename T>
  ASSAY_INLINE std::make_unsigned_t<T> logical(T x) const {
    using U = std::make_unsigned_t<T>;
    const auto unused = 8 * sizeof(T) - static_cast<size_t>(bits);
    return static_cast<U>(static_cast<U>(x) & (static_cast<U>(-1) >> unused));
  }
};

struct PopulationCount : Sized {
  using Sized::Sized;
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    return static_cast<T>(__builtin_popcountll(logical(a)));
  }
};
struct CountLeadingZeros : Sized {
  using Sized::Sized;
  template <typename T> ASSAY_INLINE T operator()(T a) const {
    uint64_t value = logical(a);
    return static_cast<T>(value == 0 ? bits
                                     : __builtin_clzll(value) - (64 - bits));
  }
};
struct ShiftLeft : Sized {
  using Sized::Sized;
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, U>;
    auto amount = static_cast<Wide>(logical(b));
    constexpr Wide kMask = 8 * sizeof(Wide) - 1;
    Wide shifted = static_cast<Wide>(logical(a)) << (amount & kMask);
    return static_cast<T>(amount >= static_cast<Wide>(bits) ? Wide(0)
                                                            : shifted);
  }
};
struct ShiftRightLogical : Sized {
  using Sized::Sized;
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, U>;
    auto amount = static_cast<Wide>(logical(b));
    constexpr Wide kMask = 8 * sizeof(Wide) - 1;
    Wide shifted = static_cast<Wide>(logical(a)) >> (amount & kMask);
    return static_cast<T>(amount >= static_cast<Wide>(bits) ? Wide(0)
                                                            : shifted);
  }
};
struct ShiftRightArithmetic : Sized {
  using Sized::Sized;
  template <typename T> ASSAY_INLINE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, U>;
    using Signed = std::make_signed_t<Wide>;
    // Unsigned types also shift in their highest bit.
    const int unused = 8 * static_cast<int>(sizeof(Wide)) - bits;
    auto value =
        static_cast<Signed>(static_cast<Wide>(logical(a)) << unused) >> unused;
    auto amount = static_cast<Wide>(logical(b));
    Wide most = static_cast<Wide>(bits - 1);
    return static_cast<T>(value >> (amount < most ? amount : most));
  }
};

} // namespace

namespace loops {

LoopChoice bitAnd(const LoopQuery &query) {
  return chooseSame<And>(query, BitTypes{});
}
LoopChoice bitOr(const LoopQuery &query) {
  return chooseSame<Or>(query, BitTypes{});
}
LoopChoice bitXor(const LoopQuery &query) {
  return chooseSame<Xor>(query, BitTypes{});
}
LoopChoice bitNot(const LoopQuery &query) {
  return chooseSame<Not, 1>(query, BitTypes{});
}
LoopChoice popcnt(const LoopQuery &query) {
  return chooseSame<PopulationCount, 1>(query, IntegerLoopTypes{});
}
LoopChoice countLeadingZeros(const LoopQuery &query) {
  return chooseSame<CountLeadingZeros, 1>(query, IntegerLoopTypes{});
}
LoopChoice shiftLeft(const LoopQuery &query) {
  return chooseSame<ShiftLeft>(query, IntegerLoopTypes{});
}
LoopChoice shiftRightLogical(const LoopQuery &query) {
  return chooseSame<ShiftRightLogical>(query, IntegerLoopTypes{});
}
LoopChoice shiftRightArithmetic(const LoopQuery &query) {
  return chooseSame<ShiftRightArithmetic>(query, IntegerLoopTypes{});
}

} // namespace loops
} // namespace assay::reference
