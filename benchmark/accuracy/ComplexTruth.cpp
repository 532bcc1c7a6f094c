// The rows of complex functions. MPC rounds its own functions correctly.
// Functions that are composed here use enough bits (kWide) for the cancellation
// that their operands can cause.
#include "Truth.h"

namespace assay::accuracy {

namespace {
/// A complex number of MPC that frees itself.
class Complex {
public:
  explicit Complex(long bits) { mpc_init2(value_, bits); }
  Complex(const Complex &) = delete;
  Complex &operator=(const Complex &) = delete;
  ~Complex() { mpc_clear(value_); }
  operator mpc_ptr() { return value_; }

private:
  mpc_t value_;
};
} // namespace

/// For parts between 2^-300 and 2^300, sums with 1 are exact and differences
/// keep 100 bits.
static constexpr long kWide = 1400;

template <int (*F)(mpc_ptr, mpc_srcptr, mpc_rnd_t)>
static void of(mpc_ptr out, mpc_srcptr z) {
  F(out, z, MPC_RNDNN);
}

/// out = 1 / z. mpc_ui_div increases the precision without end if 1 / z is very
/// close to a number that it can represent (1 + 2^-10^9 i).
static void reciprocal(mpc_ptr out, mpc_srcptr z) {
  Real norm(kWide), part(kWide);
  mpfr_sqr(norm, mpc_realref(z), MPFR_RNDN);
  mpfr_sqr(part, mpc_imagref(z), MPFR_RNDN);
  mpfr_add(norm, norm, part, MPFR_RNDN);
  mpfr_div(mpc_realref(out), mpc_realref(z), norm, MPFR_RNDN);
  mpfr_div(mpc_imagref(out), mpc_imagref(z), norm, MPFR_RNDN);
  mpfr_neg(mpc_imagref(out), mpc_imagref(out), MPFR_RNDN);
}

static void expm1Of(mpc_ptr out, mpc_srcptr z) {
  Complex power(kWide);
  mpc_exp(power, z, MPC_RNDNN);
  mpc_sub_ui(out, power, 1, MPC_RNDNN);
}

static void log1pOf(mpc_ptr out, mpc_srcptr z) {
  Complex sum(kWide);
  mpc_add_ui(sum, z, 1, MPC_RNDNN);
  mpc_log(out, sum, MPC_RNDNN);
}

static void logisticOf(mpc_ptr out, mpc_srcptr z) {
  Complex power(kWide);
  mpc_neg(power, z, MPC_RNDNN);
  mpc_exp(power, power, MPC_RNDNN);
  mpc_add_ui(power, power, 1, MPC_RNDNN);
  reciprocal(out, power);
}

static void rsqrtOf(mpc_ptr out, mpc_srcptr z) {
  Complex root(kWide);
  mpc_sqrt(root, z, MPC_RNDNN);
  reciprocal(out, root);
}

/// 1 - 2 / (e^(2z) + 1), for the same reason as reciprocal.
static void tanhOf(mpc_ptr out, mpc_srcptr z) {
  Complex power(kWide);
  mpc_mul_ui(power, z, 2, MPC_RNDNN);
  mpc_exp(power, power, MPC_RNDNN);
  mpc_add_ui(power, power, 1, MPC_RNDNN);
  Complex inverse(kWide);
  reciprocal(inverse, power);
  mpc_mul_si(inverse, inverse, -2, MPC_RNDNN);
  mpc_add_ui(out, inverse, 1, MPC_RNDNN);
}

/// -i tanh(iz)
static void tanOf(mpc_ptr out, mpc_srcptr z) {
  Complex turned(kWide);
  mpc_mul_i(turned, z, 1, MPC_RNDNN);
  tanhOf(out, turned);
  mpc_mul_i(out, out, -1, MPC_RNDNN);
}

const std::vector<ComplexFunction> &complexFunctions() {
  static const std::vector<ComplexFunction> rows = {
      {"stablehlo.cosine", of<mpc_cos>},
      {"stablehlo.exponential", of<mpc_exp>},
      {"stablehlo.exponential_minus_one", expm1Of},
      {"stablehlo.log", of<mpc_log>},
      {"stablehlo.log_plus_one", log1pOf},
      {"stablehlo.logistic", logisticOf},
      {"stablehlo.rsqrt", rsqrtOf},
      {"stablehlo.sine", of<mpc_sin>},
      {"stablehlo.sqrt", of<mpc_sqrt>},
      {"stablehlo.tan", tanOf},
      {"stablehlo.tanh", tanhOf},
      {"chlo.acos", of<mpc_acos>},
      {"chlo.acosh", of<mpc_acosh>},
      {"chlo.asin", of<mpc_asin>},
      {"chlo.asinh", of<mpc_asinh>},
      {"chlo.atan", of<mpc_atan>},
      {"chlo.atanh", of<mpc_atanh>},
      {"chlo.cosh", of<mpc_cosh>},
      {"chlo.sinh", of<mpc_sinh>}};
  return rows;
}

} // namespace assay::accuracy
