/* lnorm: statistics over the last dimension. */
#include "normalisation.h"

static place_t layout(const job_t *job, const dense_t *src,
                      const int64_t *index) {
  place_t place = {0, index[src->rank - 1]};
  (void)job;
  for (int d = 0; d + 1 < src->rank; ++d)
    place.stat = place.stat * src->dims[d] + index[d];
  return place;
}

int run_lnorm(job_t *job) {
  const dense_t *src = input_of(job, "src");
  if (!src || src->rank == 0)
    return ASSAY_PLUGIN_FAILED;
  int64_t channels = src->dims[src->rank - 1];
  return normalise(job, layout, channels ? src->count / channels : 0, channels);
}
