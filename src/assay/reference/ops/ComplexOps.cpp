// The parts of complex numbers, and the kernel that CHLO's complex asin and
// acos share.
//   w = _asin_acos_kernel(z) = (Re(sqrt(1 - z) sqrt(1 + z)), |Im asin z|),
//   so that asin z = (atan2(Re z, Re w), sign(Im z) Im w)
//   and acos z = (atan2(Re w, Re z), -sign(Im z) Im w)
// Source: StableHLO spec (complex, real, imag), CHLO (conj, _asin_acos_kernel).
#include "assay/reference/ops/ComplexMath.h"
#include "assay/reference/ops/Loops.h"

#include <cmath>

namespace assay::reference {

namespace {

struct MakeComplex {
  template <typename T>
  ASSAY_INLINE std::complex<T> operator()(T re, T im) const {
    return {re, im};
  }
};
struct Real {
  template <typename T> ASSAY_INLINE auto operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return x.real();
    else
      return x;
  }
};
struct Imag {
  template <typename T> ASSAY_INLINE auto operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return x.imag();
    else
      return T(0);
  }
};
struct Conj {
  template <typename T> ASSAY_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return {x.real(), -x.imag()};
    else
      return x;
  }
};
struct AsinAcosKernel {
  template <typename T> T operator()(T z) const {
    T one(1);
    T lower = complexFunction(ComplexFunction::Sqrt, one - z),
      upper = complexFunction(ComplexFunction::Sqrt, one + z);
    T asin = complexFunction(ComplexFunction::Asin, z);
    return {complexMultiply(lower, upper).real(), std::abs(asin.imag())};
  }
};

template <typename Op> LoopChoice choosePartOf(const LoopQuery &query) {
  if (isType<Complex64>(query.operands[0]))
    return choosePart<Op, Complex64>();
  if (isType<Complex128>(query.operands[0]))
    return choosePart<Op, Complex128>();
  return chooseSame<Op, 1>(query, FastFloatTypes{});
}

template <typename Part> LoopChoice chooseComplex() {
  LoopChoice choice;
  choice.loop = loopOf<true, MakeComplex, std::complex<Part>, Part, Part>();
  choice.operands.assign(2, numerics::elementTypeOf<Part>());
  choice.result = numerics::elementTypeOf<std::complex<Part>>();
  return choice;
}

} // namespace

namespace loops {

LoopChoice complex(const LoopQuery &query) {
  if (isType<float>(query.operands[0]))
    return chooseComplex<float>();
  return isType<double>(query.operands[0]) ? chooseComplex<double>()
                                           : LoopChoice();
}
LoopChoice real(const LoopQuery &query) { return choosePartOf<Real>(query); }
LoopChoice imag(const LoopQuery &query) { return choosePartOf<Imag>(query); }
LoopChoice conj(const LoopQuery &query) {
  return chooseSame<Conj, 1>(
      query, numerics::Concat<FastFloatTypes, ComplexLoopTypes>{});
}
LoopChoice asinAcosKernel(const LoopQuery &query) {
  return chooseMath<AsinAcosKernel>(query, ComplexLoopTypes{});
}

} // namespace loops
} // namespace assay::reference
