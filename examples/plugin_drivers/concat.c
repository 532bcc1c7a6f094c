/* Driver concat: sources one after the other along an axis. Faults: reversed
 * (last source first), drop_last (the last source stays zero), repeat_first
 * (every source is the first as far as it reaches), off_by_one (the sources
 * after the first start one element early), wrong_axis (parts are laid out as
 * if the axis were the first), swap_inner (inside a source the last dimension
 * runs backwards), plus scale_ignored. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <stdio.h>
#include <string.h>

static void copy(const dense_t *src, axis_t part, dense_t *dst, axis_t whole,
                 int64_t start, double scale) {
  for (int64_t o = 0; o < part.outer; ++o)
    for (int64_t i = 0; i < part.size * part.inner; ++i) {
      int64_t from = o * part.size * part.inner + i;
      if (fault_is("swap_inner"))
        from = o * part.size * part.inner + (i / part.inner) * part.inner +
               part.inner - 1 - i % part.inner;
      int64_t to = o * whole.size * whole.inner + start * whole.inner + i;
      if (fault_is("wrong_axis"))
        to = start * whole.inner * whole.outer + o * part.size * part.inner + i;
      if (to >= 0 && to < dst->count)
        dst->at[to] = src->at[from] * scale;
    }
}

int run_concat(job_t *job) {
  dense_t *dst = output_of(job, "dst");
  long axis = integer_of(job, "axis", 1);
  int sources = 0;
  while (sources < job->n_inputs &&
         !strncmp(job->inputs[sources].role, "src", 3))
    ++sources;
  axis_t whole = axis_of(dst, axis);
  int64_t start = 0;
  for (int place = 0; place < sources; ++place) {
    int s = fault_is("reversed") ? sources - 1 - place : place;
    axis_t part = axis_of(&job->inputs[s], axis);
    const dense_t *src = &job->inputs[s];
    if (fault_is("repeat_first") && job->inputs[0].count >= src->count)
      src = &job->inputs[0];
    char role[32];
    snprintf(role, sizeof role, "scale_msrc%d", s);
    if (!(fault_is("drop_last") && s == sources - 1))
      copy(src, part, dst, whole, start - (place && fault_is("off_by_one")),
           scale_of(job, role));
    start += part.size;
  }
  return ASSAY_PLUGIN_OK;
}
