/* Layer, group and batch normalisation are one computation; they differ in
 * which elements share their statistics and which share a scale. */
#ifndef NORMALISATION_H
#define NORMALISATION_H

#include "drivers.h"

/* For element `index` of src: the position of its mean and variance, and of its
 * scale and shift. */
typedef struct {
  int64_t stat, channel;
} place_t;
typedef place_t (*layout_t)(const job_t *job, const dense_t *src,
                            const int64_t *index);

/* dst = scale * (src - mean) / sqrt(var + eps) + shift [+ src1] [relu], or its
 * gradients; `stats` and `channels` are how many there are. */
int normalise(job_t *job, layout_t layout, int64_t stats, int64_t channels);

#endif
