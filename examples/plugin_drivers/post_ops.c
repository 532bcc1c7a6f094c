/* What follows a driver's own arithmetic: post-ops in order, then the scale and
 * the zero point of dst. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 0 times minus infinity is not part of it. */
static double relu(double x, double alpha) {
  return x > 0 ? x : alpha == 0 && x < 0 ? 0 : alpha * x;
}

/* An eltwise post-op; 0 when this file does not have it. */
static int eltwise(const post_op_t *op, double x, double *out) {
  if (!strcmp(op->name, "relu"))
    *out = relu(x, op->alpha);
  else if (!strcmp(op->name, "linear"))
    *out = op->alpha * x + op->beta;
  else if (!strcmp(op->name, "exp"))
    *out = exp(x);
  else if (!strcmp(op->name, "tanh"))
    *out = tanh(x);
  else if (!strcmp(op->name, "square"))
    *out = x * x;
  else if (!strcmp(op->name, "abs"))
    *out = fabs(x);
  else
    return 0;
  return 1;
}

static int binary(const post_op_t *op, double x, double y, double *out) {
  if (!strcmp(op->name, "add"))
    *out = x + y;
  else if (!strcmp(op->name, "sub"))
    *out = x - y;
  else if (!strcmp(op->name, "mul"))
    *out = x * y;
  else if (!strcmp(op->name, "max"))
    *out = x > y || x != x ? x : y;
  else if (!strcmp(op->name, "min"))
    *out = x < y || x != x ? x : y;
  else
    return 0;
  return 1;
}

const char *post_ops_refusal(job_t *job) {
  double ignored;
  job->post_op_count = json_post_ops(job->json, job->post_ops, MAX_POST_OPS);
  if (job->post_op_count < 0)
    return "too many post-ops for this plugin";
  for (int i = 0; i < job->post_op_count; ++i) {
    const post_op_t *op = &job->post_ops[i];
    int known = !strcmp(op->kind, "sum")       ? 1
                : !strcmp(op->kind, "eltwise") ? eltwise(op, 0, &ignored)
                : !strcmp(op->kind, "binary")  ? binary(op, 0, 0, &ignored)
                                               : 0;
    if (!known)
      return "this plugin does not have this post-op";
  }
  return NULL;
}

double scale_of(job_t *job, const char *role) {
  const dense_t *scale = input_of(job, role);
  return scale && !fault_is("scale_ignored") ? scale->at[0] : 1;
}

static double post_op(job_t *job, int i, const dense_t *previous,
                      const int64_t *index, int64_t at, double v) {
  const post_op_t *op = &job->post_ops[i];
  if (fault_is("post_op_missing") && i == 0)
    return v;
  if (!strcmp(op->kind, "sum"))
    return v + op->scale * (previous->at[at] - (double)op->zero_point);
  if (!strcmp(op->kind, "eltwise")) {
    eltwise(op, v, &v);
    return v;
  }
  char role[32];
  snprintf(role, sizeof role, "post_op_%d", i);
  const dense_t *other = input_of(job, role);
  if (other)
    binary(op, v, other->at[dense_offset(other, index)], &v);
  return v;
}

/* The value for this element; `otherwise` without such a tensor. */
static double value_at(const dense_t *values, const int64_t *index,
                       double otherwise) {
  return values ? values->at[dense_offset(values, index)] : otherwise;
}

void finish_dst(job_t *job, const dense_t *previous) {
  dense_t *dst = output_of(job, "dst");
  int64_t index[MAX_RANK] = {0}, at = 0;
  const dense_t *zero_point = input_of(job, "zp_dst"),
                *scale = fault_is("scale_ignored") ? NULL
                                                   : input_of(job, "scale_dst");
  if (dst->count == 0)
    return;
  do {
    double v = dst->at[at];
    for (int i = 0; i < job->post_op_count; ++i)
      v = post_op(job, i, previous, index, at, v);
    dst->at[at++] =
        v / value_at(scale, index, 1) + value_at(zero_point, index, 0);
  } while (next_index(dst->dims, dst->rank, index));
}
