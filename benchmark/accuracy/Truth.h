/// The true values of the transcendental functions of StableHLO and CHLO: each
/// of them in arbitrary precision (MPFR, MPC), and in double by the C library
/// if it has the function.
#pragma once

#include <functional>
#include <mpc.h>
#include <string>
#include <vector>

namespace assay::accuracy {

/// A number of MPFR that frees itself.
class Real {
public:
  explicit Real(long bits) { mpfr_init2(value_, bits); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

private:
  mpfr_t value_;
};

/// A function of one real number.
struct RealFunction {
  std::string op; ///< `stablehlo.sine`
  /// Accurate to a few units in double's last place; null if the C library
  /// lacks the function.
  double (*quick)(double);
  /// The absolute error that `quick` may have in addition to its relative one
  /// (near zeros of the function).
  double absolute;
  /// out = f(x), to out's precision.
  void (*exact)(mpfr_ptr out, mpfr_srcptr x);
};
const std::vector<RealFunction> &realFunctions();

/// A function of one complex number; `exact` as above. Special values are not
/// measured here; tests cover them.
struct ComplexFunction {
  std::string op;
  void (*exact)(mpc_ptr out, mpc_srcptr z);
};
const std::vector<ComplexFunction> &complexFunctions();

} // namespace assay::accuracy
