// The rows of real functions. Functions that MPFR lacks are composed: the
// logistic function from exp, the inverse of erf by Newton's iteration, the
// Bessel function by its power series and, for large arguments, its asymptotic
// one (Abramowitz and Stegun 9.6.10, 9.7.1).
#include "Truth.h"

#include <cmath>

namespace assay::accuracy {

template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
static void of(mpfr_ptr out, mpfr_srcptr x) {
  F(out, x, MPFR_RNDN);
}

static void lgammaOf(mpfr_ptr out, mpfr_srcptr x) {
  int sign;
  mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}

static void rsqrtOf(mpfr_ptr out, mpfr_srcptr x) {
  mpfr_rec_sqrt(out, x, MPFR_RNDN);
  if (mpfr_zero_p(x) && mpfr_signbit(x))
    mpfr_set_inf(out, -1);
}

static void logisticOf(mpfr_ptr out, mpfr_srcptr x) {
  mpfr_neg(out, x, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void erfInvOf(mpfr_ptr out, mpfr_srcptr x) {
  if (!mpfr_number_p(x) || mpfr_zero_p(x) || mpfr_cmpabs_ui(x, 1) >= 0) {
    if (mpfr_zero_p(x))
      mpfr_set(out, x, MPFR_RNDN);
    else if (mpfr_number_p(x) && mpfr_cmpabs_ui(x, 1) == 0)
      mpfr_set_inf(out, mpfr_sgn(x));
    else
      mpfr_set_nan(out);
    return;
  }
  Real y(mpfr_get_prec(out) + 64), residue(mpfr_get_prec(y)),
      slope(mpfr_get_prec(y));
  // The iteration starts at -log of the distance to 1; each round doubles the
  // number of digits.
  double near = std::abs(mpfr_get_d(x, MPFR_RNDZ));
  mpfr_ui_sub(residue, 1, x, MPFR_RNDN);
  if (mpfr_sgn(x) < 0)
    mpfr_add_ui(residue, x, 1, MPFR_RNDN);
  double tail = mpfr_get_d(residue, MPFR_RNDN);
  double start = near < 0.7 ? near * 0.886 : std::sqrt(-std::log(tail));
  mpfr_set_d(y, mpfr_sgn(x) < 0 ? -start : start, MPFR_RNDN);
  if (near < 1e-4) { // also for numbers below double's smallest
    mpfr_const_pi(slope, MPFR_RNDN);
    mpfr_sqrt(slope, slope, MPFR_RNDN);
    mpfr_mul(y, x, slope, MPFR_RNDN);
    mpfr_div_ui(y, y, 2, MPFR_RNDN);
  }
  for (int round = 0; round < 40; ++round) {
    mpfr_erf(residue, y, MPFR_RNDN);
    mpfr_sub(residue, residue, x, MPFR_RNDN);
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN); // sqrt(pi)/2 e^(y^2): 1 / erf'
    mpfr_mul(residue, residue, slope, MPFR_RNDN);
    mpfr_const_pi(slope, MPFR_RNDN);
    mpfr_sqrt(slope, slope, MPFR_RNDN);
    mpfr_mul(residue, residue, slope, MPFR_RNDN);
    mpfr_div_ui(residue, residue, 2, MPFR_RNDN);
    mpfr_sub(y, y, residue, MPFR_RNDN);
    if (mpfr_zero_p(residue) ||
        mpfr_get_exp(residue) < mpfr_get_exp(y) - mpfr_get_prec(out) / 2)
      break; // the step's square is below the precision
  }
  mpfr_set(out, y, MPFR_RNDN);
}

/// sum of terms of e^-x I1(x) for large x: 1 - 3/8x - 15/128x^2 ...
static void besselFar(mpfr_ptr sum, mpfr_srcptr x) {
  Real term(mpfr_get_prec(sum));
  mpfr_set_ui(term, 1, MPFR_RNDN);
  mpfr_set_ui(sum, 1, MPFR_RNDN);
  for (long k = 1; k < 400; ++k) {
    long odd = 2 * k - 1;
    mpfr_mul_si(term, term, odd * odd - 4, MPFR_RNDN);
    mpfr_div(term, term, x, MPFR_RNDN);
    mpfr_div_ui(term, term, static_cast<unsigned long>(8 * k), MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    if (mpfr_zero_p(term) || mpfr_get_exp(term) < -mpfr_get_prec(sum))
      break;
  }
  mpfr_const_pi(term, MPFR_RNDN);
  mpfr_mul(term, term, x, MPFR_RNDN);
  mpfr_mul_ui(term, term, 2, MPFR_RNDN);
  mpfr_sqrt(term, term, MPFR_RNDN);
  mpfr_div(sum, sum, term, MPFR_RNDN);
}

/// sum (x/2)^(2k+1) / (k! (k+1)!), times e^-x
static void besselNear(mpfr_ptr sum, mpfr_srcptr x) {
  Real term(mpfr_get_prec(sum)), square(mpfr_get_prec(sum));
  mpfr_div_ui(term, x, 2, MPFR_RNDN);
  mpfr_sqr(square, term, MPFR_RNDN);
  mpfr_set(sum, term, MPFR_RNDN);
  for (unsigned long k = 1; k < 4000 && !mpfr_zero_p(term); ++k) {
    mpfr_mul(term, term, square, MPFR_RNDN);
    mpfr_div_ui(term, term, k * (k + 1), MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    if (!mpfr_zero_p(term) &&
        mpfr_get_exp(term) < mpfr_get_exp(sum) - mpfr_get_prec(sum))
      break;
  }
  mpfr_neg(term, x, MPFR_RNDN);
  mpfr_exp(term, term, MPFR_RNDN);
  mpfr_mul(sum, sum, term, MPFR_RNDN);
}

static void besselI1eOf(mpfr_ptr out, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x)) {
    mpfr_set(out, x, MPFR_RNDN);
    return;
  }
  if (mpfr_inf_p(x)) {
    mpfr_set_zero(out, mpfr_sgn(x));
    return;
  }
  Real size(mpfr_get_prec(out) + 64), sum(mpfr_get_prec(out) + 64);
  mpfr_abs(size, x, MPFR_RNDN);
  if (mpfr_cmp_ui(size, 200) > 0)
    besselFar(sum, size);
  else
    besselNear(sum, size);
  mpfr_setsign(out, sum, mpfr_sgn(x) < 0, MPFR_RNDN);
}

static double rsqrt(double x) { return 1 / std::sqrt(x); }
static double logistic(double x) { return 1 / (1 + std::exp(-x)); }
static double lgammaQuick(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

const std::vector<RealFunction> &realFunctions() {
  static const std::vector<RealFunction> rows = {
      {"stablehlo.cbrt", std::cbrt, 0, of<mpfr_cbrt>},
      {"stablehlo.cosine", std::cos, 0, of<mpfr_cos>},
      {"stablehlo.exponential", std::exp, 0, of<mpfr_exp>},
      {"stablehlo.exponential_minus_one", std::expm1, 0, of<mpfr_expm1>},
      {"stablehlo.log", std::log, 0, of<mpfr_log>},
      {"stablehlo.log_plus_one", std::log1p, 0, of<mpfr_log1p>},
      {"stablehlo.logistic", logistic, 0, logisticOf},
      {"stablehlo.rsqrt", rsqrt, 0, rsqrtOf},
      {"stablehlo.sine", std::sin, 0, of<mpfr_sin>},
      {"stablehlo.sqrt", std::sqrt, 0, of<mpfr_sqrt>},
      {"stablehlo.tan", std::tan, 0, of<mpfr_tan>},
      {"stablehlo.tanh", std::tanh, 0, of<mpfr_tanh>},
      {"chlo.acos", std::acos, 0, of<mpfr_acos>},
      {"chlo.acosh", std::acosh, 0, of<mpfr_acosh>},
      {"chlo.asin", std::asin, 0, of<mpfr_asin>},
      {"chlo.asinh", std::asinh, 0, of<mpfr_asinh>},
      {"chlo.atan", std::atan, 0, of<mpfr_atan>},
      {"chlo.atanh", std::atanh, 0, of<mpfr_atanh>},
      {"chlo.cosh", std::cosh, 0, of<mpfr_cosh>},
      {"chlo.sinh", std::sinh, 0, of<mpfr_sinh>},
      {"chlo.bessel_i1e", nullptr, 0, besselI1eOf},
      {"chlo.digamma", nullptr, 1e-14, of<mpfr_digamma>},
      {"chlo.erf", std::erf, 0, of<mpfr_erf>},
      {"chlo.erf_inv", nullptr, 0, erfInvOf},
      {"chlo.erfc", std::erfc, 0, of<mpfr_erfc>},
      {"chlo.lgamma", lgammaQuick, 1e-14, lgammaOf}};
  return rows;
}

} // namespace assay::accuracy
