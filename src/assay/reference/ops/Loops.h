/// Code that the elementwise family files share: a loop over contiguous
/// elements made from a functor and compiled for the relevant processor levels,
/// and the choice of the loop for a type.
///
///   struct Add {
///     template <typename T> T operator()(T a, T b) const { return a + b; }
///   };
///   LoopChoice add(const LoopQuery &query) {
///     return chooseSame<Add>(query, ArithmeticTypes{});
///   }
///
/// A functor may have a constructor from ElementwiseArgs (it then sees bits and
/// parameters). The loop converts bf16 to float and back inside, so functors
/// never see a narrow type: widened() converts any other narrow type.
#pragma once

#include "assay/numerics/Dispatch.h"
#include "assay/reference/Elementwise.h"

#include <bit>
#include <complex>
#include <type_traits>

namespace assay::reference {

using numerics::BF16;
using numerics::FloatFormat;
using numerics::Kind;
using numerics::Pred;
using numerics::Quad;
using numerics::TypeList;
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

using IntegerLoopTypes = TypeList<int32_t, int64_t, int8_t, int16_t, uint8_t,
                                  uint16_t, uint32_t, uint64_t>;
using FloatLoopTypes = TypeList<float, double, Quad>;
using FastFloatTypes = TypeList<float, BF16, double, Quad>;
using ComplexLoopTypes = TypeList<Complex64, Complex128>;
using OrderedLoopTypes = numerics::Concat<FastFloatTypes, IntegerLoopTypes>;
using ArithmeticTypes = numerics::Concat<OrderedLoopTypes, ComplexLoopTypes>;
using FloatOrComplexLoopTypes =
    numerics::Concat<FloatLoopTypes, ComplexLoopTypes>;

template <typename T>
inline constexpr bool kIsComplex = numerics::kKindOf<T> == Kind::Complex;
template <typename T>
inline constexpr bool kIsFloat = numerics::kKindOf<T> == Kind::Float;
template <typename T> inline constexpr bool kIsInteger = std::is_integral_v<T>;

#define ASSAY_INLINE __attribute__((always_inline)) inline

/// The type in which a functor sees an element of type T.
template <typename T>
using ValueOf = std::conditional_t<std::is_same_v<T, BF16>, float, T>;

template <typename T> ASSAY_INLINE ValueOf<T> load(const T &element) {
  if constexpr (std::is_same_v<T, BF16>)
    return std::bit_cast<float>(static_cast<uint32_t>(element.code) << 16);
  else
    return element;
}

template <typename T> ASSAY_INLINE T store(ValueOf<T> value) {
  if constexpr (std::is_same_v<T, BF16>) { // round to nearest even, quiet NaN,
                                           // no branch
    auto bits = std::bit_cast<uint32_t>(value);
    uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    uint32_t nan = ((bits >> 16) & 0x8000) | 0x7FC0;
    return BF16::fromCode(static_cast<uint16_t>(
        (bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded));
  } else {
    return value;
  }
}

template <typename Op>
ASSAY_INLINE Op makeFunctor(const ElementwiseArgs &args) {
  if constexpr (std::is_constructible_v<Op, const ElementwiseArgs &>)
    return Op(args);
  else
    return Op{};
}

// ivdep, because the output may be one of the inputs, element for element.
template <typename Op, typename R, typename A>
ASSAY_INLINE void runLoop(const ElementwiseArgs &args) {
  const Op op = makeFunctor<Op>(args);
  const A *a = static_cast<const A *>(args.in[0]);
  R *out = static_cast<R *>(args.out);
  const int64_t count = args.count;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i)
    out[i] = store<R>(op(load<A>(a[i])));
}

template <typename Op, typename R, typename A, typename B>
ASSAY_INLINE void runLoop(const ElementwiseArgs &args) {
  const Op op = makeFunctor<Op>(args);
  const A *a = static_cast<const A *>(args.in[0]);
  const B *b = static_cast<const B *>(args.in[1]);
  R *out = static_cast<R *>(args.out);
  const int64_t count = args.count;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i)
    out[i] = store<R>(op(load<A>(a[i]), load<B>(b[i])));
}

template <typename Op, typename R, typename A, typename B, typename C>
ASSAY_INLINE void runLoop(const ElementwiseArgs &args) {
  const Op op = makeFunctor<Op>(args);
  const A *a = static_cast<const A *>(args.in[0]);
  const B *b = static_cast<const B *>(args.in[1]);
  const C *c = static_cast<const C *>(args.in[2]);
  R *out = static_cast<R *>(args.out);
  const int64_t count = args.count;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i)
    out[i] = store<R>(op(load<A>(a[i]), load<B>(b[i]), load<C>(c[i])));
}

template <typename Op, typename R, typename... As>
void plainLoop(const ElementwiseArgs &args) {
  runLoop<Op, R, As...>(args);
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__)
#define ASSAY_LOOP_LEVELS 1
template <typename Op, typename R, typename... As>
__attribute__((target("arch=x86-64-v3"))) void
v3Loop(const ElementwiseArgs &args) {
  runLoop<Op, R, As...>(args);
}
template <typename Op, typename R, typename... As>
__attribute__((target("arch=x86-64-v4"))) void
v4Loop(const ElementwiseArgs &args) {
  runLoop<Op, R, As...>(args);
}
#endif

/// The x86-64 level that loops may use: 1 (baseline), 3 (AVX2) or 4 (AVX-512).
/// All levels compute the same bits.
int loopLevel();

/// The loop of a functor. `Vector`: compile it for every level.
template <bool Vector, typename Op, typename R, typename... As>
ElementwiseLoop loopOf() {
#ifdef ASSAY_LOOP_LEVELS
  if constexpr (Vector && !(std::is_same_v<As, Quad> || ...)) {
    switch (loopLevel()) {
    case 4:
      return v4Loop<Op, R, As...>;
    case 3:
      return v3Loop<Op, R, As...>;
    default:
      break;
    }
  }
#endif
  return plainLoop<Op, R, As...>;
}

/// How narrow floats are computed: through float where the additional rounding
/// is harmless or there is none (+ - * / sqrt, maximum), else through double.
enum class Widen { ToFloat, ToDouble };

/// The loop type for an element type: the type itself if `direct`, else 8 bits
/// for narrower integers, f32 or f64 for narrower floats.
ElementType widened(ElementType type, Widen widen);

template <typename T> bool isType(ElementType type) {
  return numerics::detail::isType<T>(type);
}

/// Fills the choice for `Arity` operands of type T and a result of type R (T
/// itself, or Pred).
template <bool Vector, typename Op, size_t Arity, typename R, typename T>
LoopChoice choiceOf() {
  LoopChoice choice;
  if constexpr (Arity == 1)
    choice.loop = loopOf<Vector, Op, R, T>();
  else if constexpr (Arity == 2)
    choice.loop = loopOf<Vector, Op, R, T, T>();
  else
    choice.loop = loopOf<Vector, Op, R, T, T, T>();
  choice.operands.assign(Arity, numerics::elementTypeOf<T>());
  choice.result = numerics::elementTypeOf<R>();
  return choice;
}

/// Tries every T of the list; the result type is R, or T itself if R is void.
template <bool Vector, typename Op, size_t Arity, typename R, typename... Ts>
LoopChoice chooseFrom(const LoopQuery &query, TypeList<Ts...>, Widen widen) {
  ElementType type = query.operands[0];
  if (query.operands.size() != Arity)
    return {};
  for (ElementType other : query.operands)
    if (!(other == type))
      return {};
  LoopChoice choice;
  auto tryType = [&](ElementType wanted) {
    return (
        (isType<Ts>(wanted) &&
         (choice = choiceOf<Vector, Op, Arity,
                            std::conditional_t<std::is_void_v<R>, Ts, R>, Ts>(),
          true)) ||
        ...);
  };
  if (!tryType(type))
    tryType(widened(type, widen));
  choice.bits = type.bits;
  return choice;
}

/// Vectorised loops for operations whose operands and result have the same
/// type.
template <typename Op, size_t Arity = 2, typename List>
LoopChoice chooseSame(const LoopQuery &query, List list,
                      Widen widen = Widen::ToFloat) {
  return chooseFrom<true, Op, Arity, void>(query, list, widen);
}
/// Loops for predicates: i1 from operands of one type.
template <typename Op, size_t Arity, typename List>
LoopChoice choosePredicate(const LoopQuery &query, List list) {
  return chooseFrom<true, Op, Arity, Pred>(query, list, Widen::ToFloat);
}
/// Scalar loops for functions of the mathematical library; narrow floats are
/// computed through double.
template <typename Op, size_t Arity = 1,
          typename List = FloatOrComplexLoopTypes>
LoopChoice chooseMath(const LoopQuery &query, List list = {}) {
  return chooseFrom<false, Op, Arity, void>(query, list, Widen::ToDouble);
}

} // namespace assay::reference
