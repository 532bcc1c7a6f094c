/* Driver shuffle: the axis as a matrix of groups, transposed. Faults:
 * groups_swapped (as many groups as a group has members), inverse (the other
 * direction), last_group (the last group stays where it was), wrong_axis (the
 * next dimension where its size allows it), not_shuffled, off_by_one. */
#define _DEFAULT_SOURCE
#include "drivers.h"

int run_shuffle(job_t *job) {
  int backward = is_backward(job) != fault_is("inverse");
  dense_t *src = input_of(job, is_backward(job) ? "diff_dst" : "src"),
          *dst = output_of(job, is_backward(job) ? "diff_src" : "dst");
  if (!src || !dst)
    return ASSAY_PLUGIN_FAILED;
  long axis = integer_of(job, "axis", 1), group = integer_of(job, "group", 1);
  if (fault_is("wrong_axis")) {
    long next = (axis + 1) % src->rank;
    axis = src->dims[next] % group == 0 ? next : axis ? axis - 1 : next;
    if (src->dims[axis] % group)
      return ASSAY_PLUGIN_OK; /* leaves zeros */
  }
  axis_t a = axis_of(src, axis);
  int64_t rows = backward ? a.size / group : group;
  if (fault_is("groups_swapped"))
    rows = a.size / rows;
  int64_t columns = a.size / rows;
  for (int64_t o = 0; o < a.outer; ++o)
    for (int64_t s = 0; s < a.size; ++s) {
      int64_t to = columns * (s % rows) + s / rows;
      if (fault_is("not_shuffled") ||
          (fault_is("last_group") && s >= a.size - rows))
        to = s;
      if (fault_is("off_by_one"))
        to = (to + 1) % a.size;
      for (int64_t i = 0; i < a.inner; ++i)
        dst->at[(o * a.size + to) * a.inner + i] =
            src->at[(o * a.size + s) * a.inner + i];
    }
  return ASSAY_PLUGIN_OK;
}
