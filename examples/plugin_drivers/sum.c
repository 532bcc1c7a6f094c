/* Driver sum: scaled sources, added. Faults: scale_ignored (every scale is 1),
 * scales_shifted (each source uses the scale of the next one), drop_last (the
 * last source is left out), double_first (the first counts twice), neighbour
 * (the second source is read one element further on), plus acc_bf16. */
#define _DEFAULT_SOURCE
#include "drivers.h"

int run_sum(job_t *job) {
  dense_t *dst = output_of(job, "dst");
  int sources = job->n_inputs;
  for (int s = 0; s < sources; ++s) {
    const dense_t *src = &job->inputs[s];
    int from = fault_is("scales_shifted") ? (s + 1) % sources : s;
    double scale =
        fault_is("scale_ignored") ? 1 : number_in(job, "input_scales", from, 1);
    if (fault_is("double_first") && s == 0)
      scale *= 2;
    if (fault_is("drop_last") && s == sources - 1)
      continue;
    int shift = fault_is("neighbour") && s == 1;
    for (int64_t i = 0; i < dst->count; ++i)
      dst->at[i] = accumulate(dst->at[i],
                              (float)scale * src->at[(i + shift) % dst->count]);
  }
  return ASSAY_PLUGIN_OK;
}
