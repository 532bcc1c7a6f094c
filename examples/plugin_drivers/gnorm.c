/* gnorm: statistics over the channels of a group and all points, per sample. */
#include "normalisation.h"

static place_t layout(const job_t *job, const dense_t *src,
                      const int64_t *index) {
  int64_t groups = integer_of(job, "g", 1), size = src->dims[1] / groups;
  place_t place = {index[0] * groups + index[1] / size, index[1]};
  if (fault_is("groups_interleaved"))
    place.stat = index[0] * groups + index[1] % groups;
  return place;
}

int run_gnorm(job_t *job) {
  const dense_t *src = input_of(job, "src");
  if (!src || src->rank < 2)
    return ASSAY_PLUGIN_FAILED;
  return normalise(job, layout, src->dims[0] * integer_of(job, "g", 1),
                   src->dims[1]);
}
