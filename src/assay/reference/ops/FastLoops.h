/// Chooses between the mathematical library and the functions of FastMath.h.
#pragma once

#include "assay/reference/ops/Loops.h"

namespace assay::reference {

/// A function of FastMath.h on an element of any real type.
template <auto Function> struct Fast {
  template <typename... T> ASSAY_INLINE auto operator()(T... x) const {
    return static_cast<std::common_type_t<T...>>(
        Function(static_cast<double>(x)...));
  }
};

/// Uses `General` for f64, binary128 and complex numbers, and a vectorised loop
/// of `Quick` for floats of 32 bits or fewer (through double for narrower
/// ones).
template <typename General, auto Quick, size_t Arity = 1,
          typename List = FloatOrComplexLoopTypes>
LoopChoice chooseFast(const LoopQuery &query, List list = {}) {
  LoopChoice choice = chooseMath<General, Arity>(query, list);
  ElementType type = query.operands[0];
  if (!choice.loop || !type.isFloat() || type.bits > 32)
    return choice;
  using Op = Fast<Quick>;
  if constexpr (Arity == 1)
    choice.loop = type.bits == 32 ? loopOf<true, Op, float, float>()
                                  : loopOf<true, Op, double, double>();
  else
    choice.loop = type.bits == 32 ? loopOf<true, Op, float, float, float>()
                                  : loopOf<true, Op, double, double, double>();
  return choice;
}

} // namespace assay::reference
