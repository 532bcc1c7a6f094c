/* lrn: dst = src * omega^-beta with omega = k + alpha / n * the sum of squares
 * over a window of `ls` channels (ACROSS, n = ls) or of ls x ls points of one
 * channel (WITHIN, n = ls^spatial); and its backward pass. */
#define _DEFAULT_SOURCE
#include "windows.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  int across;
  long half;
  double alpha, beta, k, n;
} lrn_t;

static lrn_t lrn_of(const job_t *job, const dense_t *src) {
  lrn_t r = {0};
  long ls = integer_of(job, "ls", 5);
  r.across = text_is(job, "alg", "ACROSS") != fault_is("wrong_axis");
  r.half = (ls - 1) / 2;
  r.n = r.across ? (double)ls : pow((double)ls, src->rank - 2);
  r.alpha = real_of(job, "alpha", 1.0 / 8192);
  r.beta = fault_is("beta_is_one") ? 1 : real_of(job, "beta", 0.75);
  r.k = fault_is("no_k") ? 0 : real_of(job, "k", 1);
  if (fault_is("alpha_not_divided"))
    r.alpha *= r.n;
  return r;
}

/* The first and the last channel, d, h and w of the window around a place. */
static void window_of(const lrn_t *r, const dense_t *t, long c,
                      const long at[3], long low[4], long high[4]) {
  long size[3];
  spatial_of(t, size);
  long shift = fault_is("window_shift") ? 1 : 0;
  long half = r->half - (fault_is("window_short") && r->half > 0 ? 1 : 0);
  for (int i = 0; i < 4; ++i) {
    long here = i == 0 ? c : at[i - 1],
         end = i == 0 ? (long)t->dims[1] : size[i - 1];
    int reaches = (i == 0) == r->across;
    low[i] = reaches ? here - half + shift : here;
    high[i] = reaches ? here + half + shift : here;
    low[i] = low[i] < 0 ? 0 : low[i];
    high[i] = high[i] > end - 1 ? end - 1 : high[i];
  }
}

/* The sum over the window of `value`'s elements, squared when asked for. */
static double window_sum(const lrn_t *r, const dense_t *t, const double *value,
                         int squared, long n, long c, const long at[3]) {
  long low[4], high[4], in[3];
  double sum = 0;
  window_of(r, t, c, at, low, high);
  for (long cc = low[0]; cc <= high[0]; ++cc)
    for (in[0] = low[1]; in[0] <= high[1]; ++in[0])
      for (in[1] = low[2]; in[1] <= high[2]; ++in[1])
        for (in[2] = low[3]; in[2] <= high[3]; ++in[2]) {
          double x = value[place_of(t, n, cc, in)];
          sum = accumulate(sum, squared ? x * x : x);
        }
  return sum;
}

int run_lrn(job_t *job) {
  const dense_t *src = input_of(job, "src"),
                *diff_dst = input_of(job, "diff_dst");
  int back = is_backward(job);
  dense_t *out = output_of(job, back ? "diff_src" : "dst");
  if (!src || !out || (back && !diff_dst))
    return ASSAY_PLUGIN_FAILED;
  lrn_t r = lrn_of(job, src);
  double *omega = calloc((size_t)src->count + 1, sizeof(double)),
         *part = calloc((size_t)src->count + 1, sizeof(double));
  long size[3], at[3] = {0, 0, 0};
  spatial_of(src, size);
  for (int pass = 0; omega && part && pass < 2; ++pass)
    for (long n = 0; n < src->dims[0]; ++n)
      for (long c = 0; c < src->dims[1]; ++c)
        do {
          int64_t i = place_of(src, n, c, at);
          double x = src->at[i];
          if (pass == 0) {
            omega[i] =
                r.k + r.alpha / r.n * window_sum(&r, src, src->at, 1, n, c, at);
            if (back)
              part[i] = diff_dst->at[i] * x * pow(omega[i], -r.beta - 1);
          } else if (!back) {
            out->at[i] = x * pow(omega[i], -r.beta);
          } else {
            double across = window_sum(&r, src, part, 0, n, c, at);
            out->at[i] = diff_dst->at[i] * pow(omega[i], -r.beta) -
                         (fault_is("no_cross_term") ? 0 : 2) * r.alpha *
                             r.beta / r.n * x * across;
          }
        } while (next_place(size, at));
  int status = omega && part ? 0 : ASSAY_PLUGIN_FAILED;
  free(omega), free(part);
  return status;
}
