/* pool: the maximum or the mean of a window, forward and backward. Backward max
 * gives the gradient to the first maximum of its window. */
#define _DEFAULT_SOURCE
#include "windows.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
  int max, count_padding;
  long k[3], s[3], p[3], d[3];
} pool_t;

static pool_t pool_of(const job_t *job) {
  static const char *const keys[4][3] = {{"kd", "kh", "kw"},
                                         {"sd", "sh", "sw"},
                                         {"pd", "ph", "pw"},
                                         {"dd", "dh", "dw"}};
  pool_t pool = {0};
  pool.max = text_is(job, "alg", "max");
  pool.count_padding =
      text_is(job, "alg", "avg_p") != fault_is("padding_swapped");
  for (int i = 0; i < 3; ++i) {
    pool.k[i] = integer_of(job, keys[0][i], 1);
    pool.s[i] = integer_of(job, keys[1][i], 1);
    pool.p[i] = integer_of(job, keys[2][i], 0);
    pool.d[i] = fault_is("no_dilation") ? 0 : integer_of(job, keys[3][i], 0);
  }
  if (fault_is("window_shift"))
    ++pool.p[2];
  if (fault_is("window_short") && pool.k[2] > 1)
    --pool.k[2];
  return pool;
}

/* The element of src under a tap; 0 in the padding. */
static int tap(const pool_t *pool, const long size[3], const long out[3],
               const long k[3], long in[3]) {
  for (int i = 0; i < 3; ++i) {
    in[i] = out[i] * pool->s[i] - pool->p[i] + k[i] * (pool->d[i] + 1);
    if (in[i] < 0 || in[i] >= size[i])
      return 0;
  }
  return 1;
}

/* One window: its maximum and where it is, its sum, and the taps inside. */
typedef struct {
  double max, sum;
  long inside, all;
  int64_t where;
} window_t;

/* The lowest finite number of the type of src. */
static double lowest_of(const dense_t *src) {
  return strcmp(src->dtype, "bf16") == 0  ? -0x1.fep127
         : strcmp(src->dtype, "f16") == 0 ? -65504
                                          : -FLT_MAX;
}

static window_t look(const pool_t *pool, const dense_t *src, long n, long c,
                     const long out[3]) {
  window_t w = {fault_is("from_lowest") ? lowest_of(src) : -INFINITY, 0, 0, 0,
                -1};
  long size[3], k[3] = {0, 0, 0}, in[3];
  spatial_of(src, size);
  do {
    ++w.all;
    if (!tap(pool, size, out, k, in)) {
      if (fault_is("padding_is_zero") && w.max < 0)
        w.max = 0;
      continue;
    }
    int64_t at = place_of(src, n, c, in);
    double x = src->at[at];
    int later = fault_is("last_maximum") && x == w.max;
    if (w.where < 0 || x > w.max || later || (x != x && w.max == w.max)) {
      w.where = at;
      w.max = fault_is("padding_is_zero") && w.max > x ? w.max : x;
    }
    w.sum = accumulate(w.sum, x);
    ++w.inside;
  } while (next_place(pool->k, k));
  return w;
}

static double divisor(const pool_t *pool, const window_t *w) {
  return (double)(pool->count_padding ? w->all : w->inside);
}

static void backward(const pool_t *pool, dense_t *diff_src, const dense_t *src,
                     double gradient, long n, long c, const long out[3]) {
  window_t w = look(pool, src, n, c, out);
  long size[3], k[3] = {0, 0, 0}, in[3];
  spatial_of(src, size);
  if (pool->max) {
    if (w.where >= 0)
      diff_src->at[w.where] = fault_is("overwrites")
                                  ? gradient
                                  : accumulate(diff_src->at[w.where], gradient);
    return;
  }
  do {
    if (!tap(pool, size, out, k, in))
      continue;
    double *to = &diff_src->at[place_of(src, n, c, in)];
    double part = gradient / divisor(pool, &w);
    *to = fault_is("overwrites") ? part : accumulate(*to, part);
  } while (next_place(pool->k, k));
}

int run_pool(job_t *job) {
  const dense_t *src = input_of(job, "src"),
                *diff_dst = input_of(job, "diff_dst");
  dense_t *dst = output_of(job, "dst"), *diff_src = output_of(job, "diff_src");
  const dense_t *shape = is_backward(job) ? diff_dst : dst;
  pool_t pool = pool_of(job);
  if (!src || !shape || (is_backward(job) && !diff_src))
    return ASSAY_PLUGIN_FAILED;
  long size[3], out[3] = {0, 0, 0};
  spatial_of(shape, size);
  for (long n = 0; n < shape->dims[0]; ++n)
    for (long c = 0; c < shape->dims[1]; ++c)
      do {
        int64_t at = place_of(shape, n, c, out);
        if (is_backward(job)) {
          backward(&pool, diff_src, src, diff_dst->at[at], n, c, out);
          continue;
        }
        window_t w = look(&pool, src, n, c, out);
        dst->at[at] = pool.max ? w.max : w.sum / divisor(&pool, &w);
      } while (next_place(size, out));
  return 0;
}
