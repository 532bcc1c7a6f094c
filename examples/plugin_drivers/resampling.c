/* resampling: nearest or linear along each spatial dimension, forward and
 * backward. Output o of O lies at (o + 0.5) * I / O - 0.5 of I inputs. */
#define _DEFAULT_SOURCE
#include "windows.h"

#include <math.h>

/* What one output takes of one dimension: two inputs and their weights. */
typedef struct {
  long from[2];
  double weight[2];
} line_t;

static line_t line_of(int linear, long o, long outputs, long inputs) {
  double at = ((double)o + 0.5) * (double)inputs / (double)outputs - 0.5;
  line_t line = {{0, 0}, {1, 0}};
  if (fault_is("align_corners"))
    at = outputs > 1 ? (double)o * (double)(inputs - 1) / (double)(outputs - 1)
                     : 0;
  if (fault_is("no_half"))
    at = (double)o * (double)inputs / (double)outputs;
  if (!linear) {
    line.from[0] = (long)(fault_is("rounds_down") ? floor(at) : round(at));
    if (line.from[0] < 0)
      line.from[0] = 0;
    return line;
  }
  long low = (long)floor(at), high = low + 1;
  line.weight[1] = at - (double)low;
  line.weight[0] = 1 - line.weight[1];
  if (fault_is("weights_swapped"))
    line.weight[0] = line.weight[1], line.weight[1] = 1 - line.weight[0];
  line.from[0] = low < 0 ? 0 : low;
  line.from[1] = high > inputs - 1 ? inputs - 1 : high;
  if (fault_is("edge_is_zero"))
    for (int i = 0; i < 2; ++i)
      if ((i ? high : low) != line.from[i])
        line.weight[i] = 0;
  return line;
}

/* Adds one output (forward: to itself; backward: to the inputs). */
static double visit(job_t *job, dense_t *small, double gradient, long n, long c,
                    const line_t lines[3]) {
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    long in[3];
    for (int i = 0; i < 3; ++i) {
      in[i] = lines[i].from[corner >> i & 1];
      weight *= lines[i].weight[corner >> i & 1];
    }
    if (weight == 0)
      continue;
    int64_t at = place_of(small, n, c, in);
    if (is_backward(job))
      small->at[at] = fault_is("overwrites")
                          ? weight * gradient
                          : accumulate(small->at[at], weight * gradient);
    else
      sum = accumulate(sum, weight * small->at[at]);
  }
  return sum;
}

int run_resampling(job_t *job) {
  int back = is_backward(job), linear = text_is(job, "alg", "linear");
  dense_t *small = back ? output_of(job, "diff_src") : input_of(job, "src");
  dense_t *large = back ? input_of(job, "diff_dst") : output_of(job, "dst");
  if (!small || !large)
    return ASSAY_PLUGIN_FAILED;
  long inputs[3], outputs[3], out[3] = {0, 0, 0};
  spatial_of(small, inputs), spatial_of(large, outputs);
  for (long n = 0; n < large->dims[0]; ++n)
    for (long c = 0; c < large->dims[1]; ++c)
      do {
        line_t lines[3];
        for (int i = 0; i < 3; ++i)
          lines[i] = line_of(linear, out[i], outputs[i], inputs[i]);
        double *at = &large->at[place_of(large, n, c, out)];
        double sum = visit(job, small, *at, n, c, lines);
        if (!back)
          *at = sum;
      } while (next_place(outputs, out));
  return 0;
}
