/* sdpa: dst = softmax(q k * scale + mask) v for each batch and head. q is
 * [b, h, s, d], k [b, h', d, t], v [b, h', t, e] with h a multiple of h'. A query
 * without keys gives zeros. Faults: no_scale, scale_inverted, no_mask,
 * masked_is_zero, causal_shift, heads_interleaved, sum_short, skips_last,
 * narrow_softmax, nan_rows (a query without keys gives NaN), plus acc_bf16. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dense_t *q, *k, *v, *mask;
  int64_t heads, kv_heads, queries, keys, depth, values;
  int causal, bottom_right;
  double scale;
} sdpa_t;

static double factor_of(job_t *job, const sdpa_t *a) {
  const dense_t *given = input_of(job, "scale");
  if (fault_is("no_scale"))
    return 1;
  if (!given)
    return 1 / sqrt((double)a->depth);
  int divides = text_is(job, "scale", "div") != fault_is("scale_inverted");
  return divides ? 1 / given->at[0] : given->at[0];
}

static int masked(const sdpa_t *a, int64_t query, int64_t key) {
  int64_t shift = a->bottom_right ? a->keys - a->queries : 0;
  if (fault_is("causal_shift"))
    ++shift;
  return a->causal && key > query + shift;
}

/* The scores of one query, in `row`. */
static void scores(const sdpa_t *a, int64_t batch, int64_t head, int64_t kv,
                   int64_t query, double *row) {
  const double *q =
      a->q->at + ((batch * a->heads + head) * a->queries + query) * a->depth;
  const double *k = a->k->at + kv * a->depth * a->keys;
  for (int64_t t = 0; t < a->keys; ++t) {
    double sum = 0;
    for (int64_t d = 0; d < a->depth; ++d)
      sum = accumulate(sum, q[d] * k[d * a->keys + t]);
    row[t] = sum * a->scale;
    int64_t index[] = {batch, head, query, t};
    if (a->mask && !fault_is("no_mask"))
      row[t] += a->mask->at[dense_offset(a->mask, index)];
    if (masked(a, query, t))
      row[t] = fault_is("masked_is_zero") ? 0 : -INFINITY;
  }
}

static void softmax(double *row, int64_t count) {
  double max = -INFINITY, sum = 0;
  for (int64_t t = 0; t < count; ++t)
    max = row[t] > max || row[t] != row[t] ? row[t] : max;
  if (max == -INFINITY && !fault_is("nan_rows")) /* no key counts: zeros */
    max = 0, sum = 1;
  for (int64_t t = 0; t < count; ++t) {
    row[t] = exp(row[t] - max);
    sum += t == count - 1 && fault_is("sum_short") ? 0 : row[t];
  }
  for (int64_t t = 0; t < count; ++t) {
    row[t] /= sum;
    if (fault_is("narrow_softmax"))
      row[t] = fault_bits((float)row[t], 5);
  }
}

static void query(const sdpa_t *a, int64_t batch, int64_t head, int64_t at,
                  double *row, double *dst) {
  int64_t group = a->heads / a->kv_heads;
  int64_t of =
      fault_is("heads_interleaved") ? head % a->kv_heads : head / group;
  int64_t kv = batch * a->kv_heads + of;
  const double *v = a->v->at + kv * a->keys * a->values;
  double *out = dst + ((batch * a->heads + head) * a->queries + at) * a->values;
  scores(a, batch, head, kv, at, row);
  softmax(row, a->keys);
  int64_t last = a->keys - (fault_is("skips_last") && a->keys > 1 ? 1 : 0);
  for (int64_t e = 0; e < a->values; ++e)
    for (int64_t t = 0; t < last; ++t)
      out[e] = accumulate(out[e], row[t] * v[t * a->values + e]);
}

int run_sdpa(job_t *job) {
  sdpa_t a = {0};
  dense_t *dst = output_of(job, "dst");
  a.q = input_of(job, "q"), a.k = input_of(job, "k"), a.v = input_of(job, "v");
  a.mask = input_of(job, "mask");
  if (!a.q || !a.k || !a.v || !dst || a.q->rank != 4)
    return ASSAY_PLUGIN_FAILED;
  a.heads = a.q->dims[1], a.kv_heads = a.k->dims[1];
  a.queries = a.q->dims[2], a.depth = a.q->dims[3];
  a.keys = a.k->dims[3], a.values = a.v->dims[3];
  a.bottom_right = text_is(job, "mask", "causal_bottom_right");
  a.causal = a.bottom_right || text_is(job, "mask", "causal_top_left");
  a.scale = factor_of(job, &a);
  double *row = calloc((size_t)a.keys + 1, sizeof(double));
  if (!row)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t b = 0; b < a.q->dims[0]; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t s = 0; s < a.queries; ++s)
        query(&a, b, h, s, row, dst->at);
  free(row);
  return 0;
}
