/// From a run-time ElementType to the C++ value type: `dispatch(type, [&](auto
/// tag) { using T = typename decltype(tag)::Type; ... })`. The callable is
/// instantiated for each type of the chosen list; all instances must return the
/// same type. Choose the narrowest list that an operation supports, because
/// code size and build time are proportional to it.
#pragma once

#include "assay/numerics/Values.h"
#include "assay/support/Error.h"

#include <cassert>
#include <tuple>
#include <utility>

namespace assay::numerics {

/// Carries a type to a generic lambda.
template <typename T> struct TypeTag {
  using Type = T;
};

template <typename... Ts> struct TypeList {
  static constexpr size_t kSize = sizeof...(Ts);
};

template <typename List> struct WithoutFirst;
template <typename First, typename... Rest>
struct WithoutFirst<TypeList<First, Rest...>> {
  using Type = TypeList<Rest...>;
};

template <typename A, typename B> struct ConcatTypes;
template <typename... As, typename... Bs>
struct ConcatTypes<TypeList<As...>, TypeList<Bs...>> {
  using Type = TypeList<As..., Bs...>;
};
template <typename A, typename B>
using Concat = typename ConcatTypes<A, B>::Type;

using BoolTypes = TypeList<Pred>;
using SignedTypes = TypeList<Int2, Int4, int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes =
    TypeList<UInt2, UInt4, uint8_t, uint16_t, uint32_t, uint64_t>;
using IntegerTypes = Concat<SignedTypes, UnsignedTypes>;
using NarrowFloatTypes = WithoutFirst<TypeList<void
#define ASSAY_NARROW_FLOAT(format, ...) , format
#include "assay/numerics/FloatFormats.def"
>>::Type;
using FloatTypes = Concat<NarrowFloatTypes, TypeList<float, double>>;
using ComplexTypes = TypeList<std::complex<float>, std::complex<double>>;
using RealTypes = Concat<IntegerTypes, FloatTypes>;
using FloatOrComplexTypes = Concat<FloatTypes, ComplexTypes>;
using NumberTypes = Concat<RealTypes, ComplexTypes>; ///< all but i1
using BoolOrIntegerTypes = Concat<BoolTypes, IntegerTypes>;
using OrderedTypes =
    Concat<BoolOrIntegerTypes, FloatTypes>; ///< all but complex
using AllTypes =
    Concat<BoolTypes, NumberTypes>; ///< every StableHLO element type
using AllTypesAndQuad = Concat<AllTypes, TypeList<Quad>>;
/// One type per storage width, for operations that only move elements: see
/// dispatchStorage.
template <size_t N> struct Words {
  uint64_t words[N];
};

namespace detail {
template <typename T> bool isType(ElementType type) {
  using Traits = ValueTraits<T>;
  return type.kind == Traits::kKind && type.bits == Traits::kBits &&
         type.format == Traits::kFormat;
}

template <typename... Ts, typename Fn, typename OnOther>
auto dispatchOver(TypeList<Ts...>, ElementType type, Fn &fn,
                  OnOther &&onOther) {
  using First = std::tuple_element_t<0, std::tuple<Ts...>>;
  using Returned = decltype(fn(TypeTag<First>{}));
  using Result =
      std::conditional_t<std::is_same_v<Returned, llvm::ErrorSuccess>,
                         llvm::Error, Returned>;
  using Handler = Result (*)(Fn &);
  static constexpr Handler kHandlers[] = {
      [](Fn &f) -> Result { return f(TypeTag<Ts>{}); }...};
  size_t index = 0;
  bool found = ((isType<Ts>(type) ? true : (++index, false)) || ...);
  return found ? kHandlers[index](fn) : onOther(TypeTag<Result>{});
}
} // namespace detail

template <typename... Ts> bool isOneOf(TypeList<Ts...>, ElementType type) {
  return (detail::isType<Ts>(type) || ...);
}

/// Calls fn(TypeTag<T>{}) for the C++ type of `type`. It must be in List, which
/// the caller or a verifier has checked; any other type is a programming error.
/// Quantised types are dispatched by their storage type.
template <typename List = AllTypes, typename Fn>
auto dispatch(ElementType type, Fn &&fn) {
  return detail::dispatchOver(
      List{}, type, fn, [&](auto result) -> typename decltype(result)::Type {
        assert(false && "element type outside of the dispatch list");
        __builtin_unreachable();
      });
}

/// "unsupported: 'what' has no implementation for f8E4M3FN".
inline llvm::Error unsupportedType(llvm::StringRef what, ElementType type) {
  return makeError(ErrorCode::Unsupported,
                   "'{0}' is not defined for elements of type {1}", what,
                   toString(type));
}

/// Like dispatch, for callables that return llvm::Error or llvm::Expected.
/// Returns Unsupported, naming `what`, for types outside of List.
template <typename List = AllTypes, typename Fn>
auto tryDispatch(ElementType type, llvm::StringRef what, Fn &&fn) {
  return detail::dispatchOver(
      List{}, type, fn, [&](auto result) -> typename decltype(result)::Type {
        return unsupportedType(what, type);
      });
}

/// Calls fn with an unsigned type of the element's storage size (uint8_t ...
/// uint64_t, Words<2>, Words<4>), for gathers, transposes and every other
/// operation that moves elements without reading their values.
template <typename Fn> auto dispatchStorage(int64_t storageBytes, Fn &&fn) {
  switch (storageBytes) {
  case 1:
    return fn(TypeTag<uint8_t>{});
  case 2:
    return fn(TypeTag<uint16_t>{});
  case 4:
    return fn(TypeTag<uint32_t>{});
  case 8:
    return fn(TypeTag<uint64_t>{});
  case 16:
    return fn(TypeTag<Words<2>>{});
  default:
    assert(storageBytes == 32 && "an element has 1, 2, 4, 8, 16 or 32 bytes");
    return fn(TypeTag<Words<4>>{});
  }
}

} // namespace assay::numerics
