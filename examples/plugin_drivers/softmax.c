/* Driver softmax: exponentials over their sum along an axis, or the logarithm
 * of that. Faults: no_max (the maximum is not subtracted, in f32), wrong_axis,
 * drop_last (the sum misses the last element), log_missing (LOGSOFTMAX without
 * the logarithm of the sum), wrong_sum (the number of elements takes the place
 * of the sum), coarse (exponentials keep 11 bits), sum_missing (backward
 * without the sum over the axis), plus acc_bf16. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <math.h>
#include <string.h>

static double power(double x) {
  if (fault_is("no_max"))
    return expf((float)x);
  return fault_is("coarse") ? fault_bits((float)exp(x), 11) : exp(x);
}

/* The form of a softmax: PLAIN, LOGARITHM, or ZEROS: a line of minus infinities
 * gives zeros. */
typedef enum { PLAIN, LOGARITHM, ZEROS } form_t;

static void forward_line(const double *x, double *y, axis_t a, form_t form) {
  double largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < a.size; ++i)
    largest = x[i * a.inner] > largest ? x[i * a.inner] : largest;
  int is_empty = form == ZEROS && largest == -INFINITY;
  if (fault_is("no_max") || is_empty)
    largest = 0;
  for (int64_t i = 0; i < a.size; ++i)
    if (!(fault_is("drop_last") && i == a.size - 1))
      sum = accumulate(sum, power(x[i * a.inner] - largest));
  if (fault_is("no_max"))
    sum = (float)sum;
  if (fault_is("wrong_sum"))
    sum = (double)a.size;
  if (is_empty)
    sum = 1;
  for (int64_t i = 0; i < a.size; ++i) {
    double shifted = x[i * a.inner] - largest;
    y[i * a.inner] = form == LOGARITHM
                         ? shifted - (fault_is("log_missing") ? 0 : log(sum))
                         : power(shifted) / sum;
  }
}

static void backward_line(const double *y, const double *gradient, double *out,
                          axis_t a, form_t form) {
  double sum = 0;
  for (int64_t i = 0; i < a.size; ++i) {
    double weight = form == LOGARITHM ? 1 : y[i * a.inner];
    if (!fault_is("sum_missing") && !(fault_is("drop_last") && i == a.size - 1))
      sum = accumulate(sum, gradient[i * a.inner] * weight);
  }
  for (int64_t i = 0; i < a.size; ++i) {
    double d = y[i * a.inner], dd = gradient[i * a.inner];
    out[i * a.inner] = form == LOGARITHM ? dd - power(d) * sum : d * (dd - sum);
  }
}

int run_softmax(job_t *job) {
  char name[24];
  text_of(job, "alg", name, sizeof name);
  int backward = is_backward(job);
  form_t form = !strncmp(name, "log", 3) ? LOGARITHM
                : strstr(name, "zero")   ? ZEROS
                                         : PLAIN;
  dense_t *x = input_of(job, backward ? "dst" : "src"),
          *out = output_of(job, backward ? "diff_src" : "dst"),
          *gradient = input_of(job, "diff_dst");
  if (!x || !out || (backward && !gradient))
    return ASSAY_PLUGIN_FAILED;
  long axis = integer_of(job, "axis", 1);
  if (fault_is("wrong_axis"))
    axis = (axis + 1) % x->rank;
  axis_t a = axis_of(x, axis);
  double scale = scale_of(job, "scale_src");
  for (int64_t o = 0; o < a.outer; ++o)
    for (int64_t i = 0; i < a.inner; ++i) {
      int64_t at = o * a.size * a.inner + i;
      if (backward)
        backward_line(x->at + at, gradient->at + at, out->at + at, a, form);
      else
        forward_line(x->at + at, out->at + at, a, form);
    }
  for (int64_t i = 0; i < out->count && !backward; ++i)
    out->at[i] *= scale;
  return ASSAY_PLUGIN_OK;
}
