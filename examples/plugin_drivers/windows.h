/* Positions of a [mb, c, spatial...] tensor with the missing spatial dimensions
 * taken as size 1: 3, 4 and 5 dimensions become one case. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "drivers.h"

/* Sizes d, h, w of a tensor. */
static inline void spatial_of(const dense_t *t, long size[3]) {
  for (int i = 0; i < 3; ++i) {
    int d = t->rank - 3 + i;
    size[i] = d >= 2 ? (long)t->dims[d] : 1;
  }
}

static inline int64_t place_of(const dense_t *t, long n, long c,
                               const long at[3]) {
  long size[3];
  spatial_of(t, size);
  return (((n * t->dims[1] + c) * size[0] + at[0]) * size[1] + at[1]) *
             size[2] +
         at[2];
}

/* The next position inside of `size`; 0 after the last. */
static inline int next_place(const long size[3], long at[3]) {
  for (int i = 2; i >= 0; --i) {
    if (++at[i] < size[i])
      return 1;
    at[i] = 0;
  }
  return 0;
}

#endif
