/* Driver eltwise: the functions of oneDNN's developer guide, forward and
 * backward. Faults: alpha_ignored, beta_zero, coarse (results keep 11 bits),
 * gelu_swapped (each gelu computes the other's formula), gradient_missing
 * (backward stops at the slope), dst_as_src (the slope of a "_dst" function is
 * taken at dst as if that were src). */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char name[32]; /* without "_dst" */
  int uses_dst;
  double alpha, beta;
} function_t;

static int is(const function_t *f, const char *name) {
  return !strcmp(f->name, name);
}

static double logistic(double x) { return 1 / (1 + exp(-x)); }
static double soft_plus(double x) {
  return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}
static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
static double tanh_of_cube(double x) {
  return tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}

static int gelu_by_erf(const function_t *f) {
  return is(f, "gelu_erf") != fault_is("gelu_swapped");
}

static double forward(const function_t *f, double x) {
  double a = f->alpha, b = f->beta;
  if (is(f, "abs"))
    return fabs(x);
  if (is(f, "clip") || is(f, "clip_v2"))
    return clamp(x, a, b);
  if (is(f, "elu"))
    return x > 0 ? x : a * expm1(x);
  if (is(f, "exp"))
    return exp(x);
  if (is(f, "hardsigmoid"))
    return clamp(a * x + b, 0, 1);
  if (is(f, "hardswish"))
    return x * clamp(a * x + b, 0, 1);
  if (is(f, "linear"))
    return a * x + b;
  if (is(f, "log"))
    return log(x);
  if (is(f, "logistic"))
    return logistic(x);
  if (is(f, "mish"))
    return x * tanh(soft_plus(x));
  if (is(f, "pow"))
    return a * pow(x, b);
  if (is(f, "relu"))
    return x > 0 ? x : a == 0 && x <= 0 ? 0 : a * x; /* 0 at -inf */
  if (is(f, "round"))
    return nearbyint(x);
  if (is(f, "soft_relu"))
    return soft_plus(a * x) / a;
  if (is(f, "sqrt"))
    return sqrt(x);
  if (is(f, "square"))
    return x * x;
  if (is(f, "swish"))
    return x * logistic(a * x);
  if (is(f, "tanh"))
    return tanh(x);
  return gelu_by_erf(f) ? 0.5 * x * erfc(-x / sqrt(2))
                        : 0.5 * x * (1 + tanh_of_cube(x));
}

static double slope_of_gelu(const function_t *f, double x) {
  if (gelu_by_erf(f))
    return 0.5 * erfc(-x / sqrt(2)) + x / sqrt(2 * M_PI) * exp(-0.5 * x * x);
  double t = tanh_of_cube(x);
  double inner = sqrt(2 / M_PI) * (x + 3 * 0.044715 * x * x * x);
  return 0.5 * (1 + t) * (1 + inner * (1 - t));
}

static double slope(const function_t *f, double x) {
  double a = f->alpha, b = f->beta;
  if (is(f, "abs"))
    return x > 0 ? 1 : x < 0 ? -1 : x; /* 0, or NaN */
  if (is(f, "clip"))
    return x > a && x <= b;
  if (is(f, "clip_v2"))
    return x > a && x < b;
  if (is(f, "elu"))
    return x > 0 ? 1 : a * exp(x);
  if (is(f, "exp"))
    return exp(x);
  if (is(f, "hardsigmoid"))
    return a * x + b > 0 && a * x + b < 1 ? a : 0;
  if (is(f, "hardswish"))
    return a * x + b >= 1 ? 1 : a * x + b > 0 ? 2 * a * x + b : 0;
  if (is(f, "linear"))
    return a;
  if (is(f, "log"))
    return 1 / x;
  if (is(f, "logistic"))
    return logistic(x) * logistic(-x);
  if (is(f, "mish")) {
    double t = tanh(soft_plus(x));
    return t + x * logistic(x) * (1 - t * t);
  }
  if (is(f, "pow"))
    return b == 0 ? 0 : a * b * pow(x, b - 1);
  if (is(f, "relu"))
    return x > 0 ? 1 : a;
  if (is(f, "soft_relu"))
    return logistic(a * x);
  if (is(f, "sqrt"))
    return 0.5 / sqrt(x);
  if (is(f, "square"))
    return 2 * x;
  if (is(f, "swish"))
    return logistic(a * x) * (1 + a * x * logistic(-a * x));
  if (is(f, "tanh"))
    return 1 - tanh(x) * tanh(x);
  return slope_of_gelu(f, x);
}

/* The slope at src, where d is f(src). */
static double slope_from_dst(const function_t *f, double d) {
  if (is(f, "exp"))
    return d;
  if (is(f, "logistic"))
    return d * (1 - d);
  if (is(f, "sqrt"))
    return 0.5 / d;
  if (is(f, "tanh"))
    return 1 - d * d;
  if (is(f, "elu"))
    return d > 0 ? 1 : d + f->alpha;
  return slope(f, d); /* relu and clip_v2 do not move a point across a corner */
}

static double finish(double v) {
  return fault_is("coarse") ? fault_bits((float)v, 11) : v;
}

int run_eltwise(job_t *job) {
  function_t f = {{0}, 0, 0, 0};
  text_of(job, "alg", f.name, sizeof f.name);
  size_t length = strlen(f.name);
  if (length > 4 && !strcmp(f.name + length - 4, "_dst"))
    f.uses_dst = 1, f.name[length - 4] = 0;
  f.alpha = fault_is("alpha_ignored") ? 0 : (float)real_of(job, "alpha", 0);
  f.beta = fault_is("beta_zero") ? 0 : (float)real_of(job, "beta", 0);
  if (f.alpha == 0 && is(&f, "soft_relu"))
    f.alpha = 1;
  if (!is_backward(job)) {
    dense_t *src = input_of(job, "src"), *dst = output_of(job, "dst");
    for (int64_t i = 0; i < dst->count; ++i)
      dst->at[i] = finish(forward(&f, src->at[i]));
    return ASSAY_PLUGIN_OK;
  }
  dense_t *data = input_of(job, f.uses_dst ? "dst" : "src"),
          *gradient = input_of(job, "diff_dst"),
          *out = output_of(job, "diff_src");
  if (!data || !gradient || !out)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; i < out->count; ++i) {
    double at = f.uses_dst && !fault_is("dst_as_src")
                    ? slope_from_dst(&f, data->at[i])
                    : slope(&f, data->at[i]);
    out->at[i] =
        finish(fault_is("gradient_missing") ? at : at * gradient->at[i]);
  }
  return ASSAY_PLUGIN_OK;
}
