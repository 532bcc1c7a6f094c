/* Driver prelu: negative elements times a weight that broadcasts. Faults:
 * weights_ignored, wrong_axis (weights along the last dimension), everywhere
 * (positive elements too), drop_batch (diff_wei misses the last sample),
 * gradient_missing (diff_wei sums src alone), plus acc_bf16. */
#define _DEFAULT_SOURCE
#include "drivers.h"

static int64_t weight_of(const dense_t *wei, const int64_t *index, int64_t at) {
  return fault_is("wrong_axis") ? at % wei->count : dense_offset(wei, index);
}

static double slope(const dense_t *wei, const int64_t *index, int64_t at,
                    double x) {
  double w =
      fault_is("weights_ignored") ? 0 : wei->at[weight_of(wei, index, at)];
  return x > 0 && !fault_is("everywhere") ? 1 : w;
}

static void backward(const dense_t *src, const dense_t *wei, const dense_t *dd,
                     dense_t *diff_src, dense_t *diff_wei) {
  int64_t index[MAX_RANK] = {0}, at = 0;
  do {
    double x = src->at[at], gradient = dd->at[at];
    diff_src->at[at] = gradient * slope(wei, index, at, x);
    double *sum = &diff_wei->at[weight_of(wei, index, at)];
    int left_out = fault_is("drop_batch") && index[0] == src->dims[0] - 1 &&
                   src->dims[0] > 1;
    if (!(x > 0) && !left_out) /* NaN too */
      *sum =
          accumulate(*sum, x * (fault_is("gradient_missing") ? 1 : gradient));
    ++at;
  } while (next_index(src->dims, src->rank, index));
}

int run_prelu(job_t *job) {
  dense_t *src = input_of(job, "src"), *wei = input_of(job, "wei");
  if (!src || !wei)
    return ASSAY_PLUGIN_FAILED;
  if (src->count == 0)
    return ASSAY_PLUGIN_OK;
  if (is_backward(job)) {
    dense_t *dd = input_of(job, "diff_dst"),
            *diff_src = output_of(job, "diff_src"),
            *diff_wei = output_of(job, "diff_wei");
    if (!dd || !diff_src || !diff_wei)
      return ASSAY_PLUGIN_FAILED;
    backward(src, wei, dd, diff_src, diff_wei);
    return ASSAY_PLUGIN_OK;
  }
  dense_t *dst = output_of(job, "dst");
  int64_t index[MAX_RANK] = {0}, at = 0;
  do {
    dst->at[at] = src->at[at] * slope(wei, index, at, src->at[at]);
    ++at;
  } while (next_index(src->dims, src->rank, index));
  return ASSAY_PLUGIN_OK;
}
