// Comparisons, predicates of floats, and select. FLOAT comparisons follow IEEE
// 754 (NaN is unordered, -0 == +0). TOTALORDER orders the bit patterns: -NaN <
// -inf < ... < -0 < +0 < ... < +inf < +NaN. Complex numbers are equal if both
// parts are; they are ordered by real part, then imaginary part. select moves
// elements regardless of their values, so it has one loop per element size.
// Source: StableHLO spec (compare, is_finite, select), CHLO (is_inf,
// is_pos_inf, is_neg_inf).
#include "assay/reference/ops/Loops.h"
#include "mlir/IR/Operation.h"

#include <limits>

namespace assay::reference {

using ComparableTypes = numerics::Concat<ArithmeticTypes, TypeList<Pred>>;

namespace {

enum class Direction { EQ, NE, GE, GT, LE, LT };

template <Direction D, typename T> ASSAY_INLINE bool compareValues(T a, T b) {
  if constexpr (D == Direction::EQ)
    return a == b;
  else if constexpr (D == Direction::NE)
    return a != b;
  else if constexpr (D == Direction::GE)
    return a >= b;
  else if constexpr (D == Direction::GT)
    return a > b;
  else if constexpr (D == Direction::LE)
    return a <= b;
  else
    return a < b;
}

template <Direction D> struct Compare {
  template <typename T> ASSAY_INLINE Pred operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, Pred>) {
      return Pred(compareValues<D>(a.byte != 0, b.byte != 0));
    } else if constexpr (kIsComplex<T>) {
      if constexpr (D == Direction::EQ || D == Direction::NE)
        return Pred(compareValues<D>(a, b));
      else
        return Pred(a.real() == b.real()
                        ? compareValues<D>(a.imag(), b.imag())
                        : compareValues<D>(a.real(), b.real()));
    } else {
      return Pred(compareValues<D>(a, b));
    }
  }
};

/// The bit pattern as an integer that compares in TOTALORDER.
template <typename T> ASSAY_INLINE auto totalOrderKey(T x) {
  if constexpr (sizeof(T) == 16) {
    __extension__ typedef __int128 Int128;
    auto bits = std::bit_cast<Int128>(x);
    return bits ^ static_cast<Int128>(
                      static_cast<unsigned __int128>(bits >> 127) >> 1);
  } else {
    using I = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    auto bits = std::bit_cast<I>(x);
    return static_cast<I>(bits ^ (static_cast<std::make_unsigned_t<I>>(
                                      bits >> (8 * sizeof(T) - 1)) >>
                                  1));
  }
}

template <Direction D> struct CompareTotal {
  template <typename T> ASSAY_INLINE Pred operator()(T a, T b) const {
    return Pred(compareValues<D>(totalOrderKey(a), totalOrderKey(b)));
  }
};

struct IsFinite {
  template <typename T> ASSAY_INLINE Pred operator()(T x) const {
    return Pred(x - x == 0);
  }
};
struct IsPosInf {
  template <typename T> ASSAY_INLINE Pred operator()(T x) const {
    return Pred(x == static_cast<T>(std::numeric_limits<float>::infinity()));
  }
};
struct IsNegInf {
  template <typename T> ASSAY_INLINE Pred operator()(T x) const {
    return Pred(x == -static_cast<T>(std::numeric_limits<float>::infinity()));
  }
};
struct IsInf {
  template <typename T> ASSAY_INLINE Pred operator()(T x) const {
    return Pred(IsPosInf()(x) || IsNegInf()(x));
  }
};

struct Select {
  template <typename T> ASSAY_INLINE T operator()(Pred p, T a, T b) const {
    return p ? a : b;
  }
  template <size_t N>
  ASSAY_INLINE numerics::Words<N> operator()(Pred p, numerics::Words<N> a,
                                             numerics::Words<N> b) const {
    numerics::Words<N> chosen;
    for (size_t i = 0; i < N; ++i)
      chosen.words[i] = p ? a.words[i] : b.words[i];
    return chosen;
  }
};

template <template <Direction> typename Functor, typename List>
LoopChoice chooseComparison(const LoopQuery &query, llvm::StringRef direction,
                            List list) {
  if (direction == "EQ")
    return choosePredicate<Functor<Direction::EQ>, 2>(query, list);
  if (direction == "NE")
    return choosePredicate<Functor<Direction::NE>, 2>(query, list);
  if (direction == "GE")
    return choosePredicate<Functor<Direction::GE>, 2>(query, list);
  if (direction == "GT")
    return choosePredicate<Functor<Direction::GT>, 2>(query, list);
  if (direction == "LE")
    return choosePredicate<Functor<Direction::LE>, 2>(query, list);
  if (direction == "LT")
    return choosePredicate<Functor<Direction::LT>, 2>(query, list);
  return {};
}

} // namespace

/// The case of an enumeration attribute, as stablehlo and chlo print it:
/// #stablehlo<comparison_direction EQ> -> EQ.
static std::string enumCase(mlir::Operation *op, llvm::StringRef attribute) {
  mlir::Attribute value = op->getAttr(attribute);
  if (!value)
    return {};
  std::string text;
  llvm::raw_string_ostream(text) << value;
  llvm::StringRef rest = llvm::StringRef(text).rtrim("> \"");
  return rest.substr(rest.find_last_of(" <\"") + 1).str();
}

namespace loops {

LoopChoice compare(const LoopQuery &query) {
  std::string direction = enumCase(query.op, "comparison_direction");
  if (enumCase(query.op, "compare_type") != "TOTALORDER" ||
      !query.operands[0].isFloat())
    return chooseComparison<Compare>(query, direction, ComparableTypes{});
  return chooseComparison<CompareTotal>(query, direction, FastFloatTypes{});
}

LoopChoice isFinite(const LoopQuery &query) {
  return choosePredicate<IsFinite, 1>(query, FastFloatTypes{});
}
LoopChoice isInf(const LoopQuery &query) {
  return choosePredicate<IsInf, 1>(query, FastFloatTypes{});
}
LoopChoice isPosInf(const LoopQuery &query) {
  return choosePredicate<IsPosInf, 1>(query, FastFloatTypes{});
}
LoopChoice isNegInf(const LoopQuery &query) {
  return choosePredicate<IsNegInf, 1>(query, FastFloatTypes{});
}

LoopChoice select(const LoopQuery &query) {
  LoopChoice choice;
  if (query.operands.size() != 3 || !query.operands[0].isBool() ||
      !(query.operands[1] == query.result) ||
      !(query.operands[2] == query.result))
    return choice;
  choice.operands.assign(query.operands.begin(), query.operands.end());
  choice.result = query.result;
  choice.loop = numerics::dispatchStorage(
      query.result.storageBytes(), [](auto tag) -> ElementwiseLoop {
        using T = typename decltype(tag)::Type;
        return loopOf<true, Select, T, Pred, T, T>();
      });
  return choice;
}

} // namespace loops
} // namespace assay::reference
