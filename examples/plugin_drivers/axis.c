/* A tensor seen along one axis: outer x size x inner elements. */
#define _DEFAULT_SOURCE
#include "drivers.h"

axis_t axis_of(const dense_t *t, long axis) {
  axis_t a = {1, t->dims[axis], 1};
  for (int d = 0; d < t->rank; ++d) {
    if (d < axis)
      a.outer *= t->dims[d];
    if (d > axis)
      a.inner *= t->dims[d];
  }
  return a;
}
