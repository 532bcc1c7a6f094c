/* The computation that lnorm, gnorm and bnorm share, forward and backward.
 *
 * Forward: x_hat = (x - mean) / sqrt(var + eps); y = scale * x_hat + shift.
 * Backward, with g = dy * scale and means over the elements of one statistic:
 * dx = (g - mean(g) - x_hat * mean(g * x_hat)) / sqrt(var + eps), without the
 * two means when the statistics are given (flag G); dscale = sum dy * x_hat,
 * dshift = sum dy over the elements of one channel. */
#define _DEFAULT_SOURCE
#include "normalisation.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dense_t *src, *scale, *shift, *add, *gradient;
  int given, rms, relu;
  double eps, *mean, *var, *count, *sum_g, *sum_gx;
  place_t *places;
  int64_t stats, channels;
} norm_t;

static double scale_at(const norm_t *n, int64_t channel) {
  return n->scale ? n->scale->at[fault_is("one_scale") ? 0 : channel] : 1;
}

static double x_hat(const norm_t *n, int64_t i) {
  int64_t s = n->places[i].stat;
  double mean = fault_is("mean_kept") ? 0 : n->mean[s];
  return (n->src->at[i] - mean) /
         sqrt(n->var[s] + (fault_is("no_eps") ? 0 : n->eps));
}

static double forward_at(const norm_t *n, int64_t i) {
  int64_t c = n->places[i].channel;
  double y = scale_at(n, c) * x_hat(n, i);
  if (n->shift && !fault_is("no_shift"))
    y += n->shift->at[c];
  return n->add ? y + n->add->at[i] : y;
}

static void statistics(norm_t *n) {
  int64_t last = n->src->count - (fault_is("skips_last") ? 1 : 0);
  for (int64_t i = 0; i < last; ++i)
    n->count[n->places[i].stat] += 1;
  for (int64_t i = 0; i < last && !n->rms; ++i) {
    double *mean = &n->mean[n->places[i].stat];
    *mean = accumulate(*mean, n->src->at[i]);
  }
  for (int64_t s = 0; s < n->stats; ++s)
    n->mean[s] /= n->count[s];
  for (int64_t i = 0; i < last; ++i) {
    int64_t s = n->places[i].stat;
    double d = n->src->at[i] - n->mean[s];
    n->var[s] = accumulate(n->var[s], d * d);
  }
  for (int64_t s = 0; s < n->stats; ++s)
    n->var[s] /= n->count[s] - (fault_is("unbiased") ? 1 : 0);
}

static void copy(const double *from, dense_t *to) {
  for (int64_t i = 0; to && i < to->count; ++i)
    to->at[i] = from[i];
}

static int forward(job_t *job, norm_t *n) {
  dense_t *dst = output_of(job, "dst");
  double scale = scale_of(job, "scale_src");
  if (!dst)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; i < dst->count; ++i) {
    double y = forward_at(n, i);
    dst->at[i] = (n->relu && y < 0 ? 0 : y) * scale;
  }
  if (!n->given) {
    copy(n->mean, output_of(job, "mean"));
    if (fault_is("inverse_variance"))
      for (int64_t s = 0; s < n->stats; ++s)
        n->var[s] = 1 / sqrt(n->var[s] + n->eps);
    copy(n->var, output_of(job, "var"));
  }
  return 0;
}

/* The gradient of y before the fused relu. */
static double gradient_at(const norm_t *n, int64_t i) {
  return n->relu && forward_at(n, i) <= 0 ? 0 : n->gradient->at[i];
}

static int backward(job_t *job, norm_t *n) {
  dense_t *dx = output_of(job, "diff_src"), *d1 = output_of(job, "diff_src1");
  dense_t *dscale = output_of(job, "diff_scale"),
          *dshift = output_of(job, "diff_shift");
  if (!dx || !n->gradient)
    return ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; i < dx->count; ++i) {
    double dy = gradient_at(n, i), h = x_hat(n, i);
    place_t p = n->places[i];
    double g = dy * scale_at(n, p.channel);
    n->count[p.stat] += 1;
    n->sum_g[p.stat] = accumulate(n->sum_g[p.stat], g);
    n->sum_gx[p.stat] = accumulate(n->sum_gx[p.stat], g * h);
    if (dscale)
      dscale->at[p.channel] = accumulate(
          dscale->at[p.channel], dy * (fault_is("raw_x") ? n->src->at[i] : h));
    if (dshift)
      dshift->at[p.channel] = accumulate(dshift->at[p.channel], dy);
    if (d1)
      d1->at[i] = dy;
  }
  for (int64_t i = 0; i < dx->count; ++i) {
    int64_t s = n->places[i].stat;
    double g = gradient_at(n, i) * scale_at(n, n->places[i].channel);
    if (!n->given && !n->rms && !fault_is("no_mean_term"))
      g -= n->sum_g[s] / n->count[s];
    if (!n->given && !fault_is("no_variance_term"))
      g -= x_hat(n, i) * n->sum_gx[s] / n->count[s];
    dx->at[i] = g / sqrt(n->var[s] + (fault_is("no_eps") ? 0 : n->eps));
  }
  return 0;
}

static int allocate(norm_t *n) {
  size_t stats = (size_t)n->stats + 1;
  n->mean = calloc(stats, sizeof(double));
  n->var = calloc(stats, sizeof(double));
  n->count = calloc(stats, sizeof(double));
  n->sum_g = calloc(stats, sizeof(double));
  n->sum_gx = calloc(stats, sizeof(double));
  n->places = calloc((size_t)n->src->count + 1, sizeof(place_t));
  return n->mean && n->var && n->count && n->sum_g && n->sum_gx && n->places;
}

int normalise(job_t *job, layout_t layout, int64_t stats, int64_t channels) {
  norm_t n = {0};
  const dense_t *mean = input_of(job, "mean"), *var = input_of(job, "var");
  int64_t index[MAX_RANK] = {0};
  n.src = input_of(job, "src"), n.add = input_of(job, "src1");
  n.scale = input_of(job, "scale"), n.shift = input_of(job, "shift");
  n.gradient = input_of(job, "diff_dst");
  n.given = text_has(job, "flags", 'G'), n.rms = text_has(job, "flags", 'M');
  n.relu = text_has(job, "flags", 'R') || text_has(job, "flags", 'A');
  n.eps = real_of(job, "eps", 1.0 / 16);
  n.stats = stats, n.channels = channels;
  int status = allocate(&n) ? 0 : ASSAY_PLUGIN_FAILED;
  for (int64_t i = 0; !status && i < n.src->count; ++i) {
    n.places[i] = layout(job, n.src, index);
    next_index(n.src->dims, n.src->rank, index);
  }
  for (int64_t s = 0; !status && var && s < stats; ++s) {
    n.mean[s] = mean && !n.rms ? mean->at[s] : 0;
    n.var[s] = var->at[s];
  }
  if (!status && !var)
    statistics(&n);
  if (!status)
    status = is_backward(job) ? backward(job, &n) : forward(job, &n);
  free(n.mean), free(n.var), free(n.count), free(n.sum_g), free(n.sum_gx);
  free(n.places);
  return status;
}
