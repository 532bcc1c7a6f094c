/* Driver reorder: a copy between types and layouts, with scales and zero points
 * (plugin.c applies those of dst). Faults: transposed (the last two dimensions
 * change places in memory), zp_wrong (the source's zero point is one too
 * large), wrong_axis (per-dimension scales run along the last dimension),
 * symmetric (s8 saturates at -127), shifted (every element comes from its
 * neighbour), plus scale_ignored. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <string.h>

static int64_t source_of(const dense_t *src, int64_t at) {
  int rank = src->rank;
  if (fault_is("shifted"))
    return (at + 1) % src->count;
  if (!fault_is("transposed") || rank < 2)
    return at;
  int64_t rows = src->dims[rank - 2], columns = src->dims[rank - 1];
  int64_t block = at / (rows * columns), inside = at % (rows * columns);
  return block * rows * columns + inside % rows * columns + inside / rows;
}

static double per_dimension(const dense_t *values, const int64_t *index,
                            int64_t at, double otherwise) {
  if (!values)
    return otherwise;
  return values->at[fault_is("wrong_axis") ? at % values->count
                                           : dense_offset(values, index)];
}

int run_reorder(job_t *job) {
  dense_t *src = input_of(job, "src"), *dst = output_of(job, "dst");
  const dense_t *scale =
      fault_is("scale_ignored") ? NULL : input_of(job, "scale_src");
  const dense_t *zero = input_of(job, "zp_src");
  int64_t index[MAX_RANK] = {0}, at = 0;
  if (dst->count == 0)
    return ASSAY_PLUGIN_OK;
  do {
    double v = src->at[source_of(src, at)] - per_dimension(zero, index, at, 0) -
               (zero && fault_is("zp_wrong"));
    v *= per_dimension(scale, index, at, 1);
    if (fault_is("symmetric") && !strcmp(dst->dtype, "s8") && v < -127)
      v = -127;
    dst->at[at++] = v;
  } while (next_index(dst->dims, dst->rank, index));
  return ASSAY_PLUGIN_OK;
}
