/* reduction: dst = src folded over every dimension that dst has with size 1. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int max, min, mul, mean, norm, root, eps_max;
  double p, eps;
} rule_t;

static rule_t rule_of(const job_t *job) {
  rule_t r = {0};
  r.max = text_is(job, "alg", "max"), r.min = text_is(job, "alg", "min");
  r.mul = text_is(job, "alg", "mul"), r.mean = text_is(job, "alg", "mean");
  r.root =
      text_is(job, "alg", "norm_lp_max") || text_is(job, "alg", "norm_lp_sum");
  r.eps_max = text_is(job, "alg", "norm_lp_max") ||
              text_is(job, "alg", "norm_lp_power_p_max");
  r.norm = r.root || r.eps_max || text_is(job, "alg", "norm_lp_power_p_sum");
  r.p = real_of(job, "p", 1);
  r.eps = fault_is("no_eps") ? 0 : real_of(job, "eps", 0);
  return r;
}

static double start(const rule_t *r) {
  if (r->max || r->min)
    return fault_is("starts_at_zero") ? 0 : r->max ? -INFINITY : INFINITY;
  return r->mul ? 1 : 0;
}

static double fold(const rule_t *r, double acc, double x) {
  if (r->max)
    return x > acc || x != x ? x : acc;
  if (r->min)
    return x < acc || x != x ? x : acc;
  if (r->mul)
    return fault_is("acc_bf16") ? fault_bf16((float)(acc * x)) : acc * x;
  if (r->norm)
    x = pow(fault_is("no_abs") ? x : fabs(x), fault_is("no_power") ? 1 : r->p);
  return accumulate(acc, x);
}

static double finish(const rule_t *r, double acc, double count) {
  if (r->mean && !fault_is("mean_is_sum"))
    return acc / count;
  if (!r->norm)
    return acc;
  acc = r->eps_max ? (acc < r->eps ? r->eps : acc) : acc + r->eps;
  return r->root && !fault_is("no_root") ? pow(acc, 1 / r->p) : acc;
}

int run_reduction(job_t *job) {
  const dense_t *src = input_of(job, "src");
  dense_t *dst = output_of(job, "dst");
  int64_t index[MAX_RANK] = {0}, at = 0;
  rule_t rule = rule_of(job);
  if (!src || !dst)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; i < dst->count; ++i)
    dst->at[i] = start(&rule);
  for (at = 0; at < src->count; ++at, next_index(src->dims, src->rank, index)) {
    if (fault_is("skips_last") && at == src->count - 1)
      continue;
    double *out = &dst->at[dense_offset(dst, index)];
    *out = fold(&rule, *out, src->at[at]);
  }
  double count = dst->count ? (double)(src->count / dst->count) : 1;
  for (int64_t i = 0; i < dst->count; ++i)
    dst->at[i] = finish(&rule, dst->at[i], count);
  return 0;
}
