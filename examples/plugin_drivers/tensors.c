/* Elements of every type that the interface knows, through the strides of a
 * tensor, as dense arrays of double; and the rounding on the way back. */
#define _DEFAULT_SOURCE
#include "drivers.h"

#include <stdlib.h>
#include <string.h>

int known_element_type(const char *t) {
  return !strcmp(t, "f64") || known_type(t);
}

int next_index(const int64_t *dims, int rank, int64_t *index) {
  for (int d = rank - 1; d >= 0; --d) {
    if (++index[d] < dims[d])
      return 1;
    index[d] = 0;
  }
  return 0;
}

int64_t dense_offset(const dense_t *t, const int64_t *index) {
  int64_t offset = 0;
  for (int d = 0; d < t->rank; ++d)
    offset = offset * t->dims[d] + (t->dims[d] == 1 ? 0 : index[d]);
  return offset;
}

static int64_t offset_of(const assay_tensor_t *t, const int64_t *index) {
  int64_t offset = 0;
  for (int d = 0; d < t->rank; ++d)
    offset += index[d] * t->strides[d];
  return offset;
}

int dense_read(const assay_tensor_t *t, int with_values, dense_t *out) {
  int64_t index[MAX_RANK] = {0}, i = 0;
  out->role = t->role, out->dtype = t->dtype, out->rank = t->rank;
  out->count = 1;
  for (int d = 0; d < t->rank; ++d) {
    out->dims[d] = t->dims[d];
    out->count *= t->dims[d];
  }
  out->at = calloc((size_t)out->count + 1, sizeof(double));
  if (!out->at)
    return 0;
  if (with_values && out->count > 0)
    do
      out->at[i++] = load_at(t, offset_of(t, index));
    while (next_index(t->dims, t->rank, index));
  return 1;
}

void dense_write(const dense_t *values, const assay_tensor_t *t) {
  int64_t index[MAX_RANK] = {0}, i = 0;
  if (values->count == 0)
    return;
  do {
    double v = values->at[i++];
    if (fault_is("unwritten") && i == values->count)
      continue; /* the last element keeps what the buffer held */
    if (fault_is("last_row") && t->rank > 0 && t->dims[0] > 1 &&
        index[0] == t->dims[0] - 1)
      v = 0; /* the loop over the first dimension ends too early */
    if (fault_is("nan_swallowed") && v != v)
      v = 0;
    store_at(t, offset_of(t, index), v);
  } while (next_index(t->dims, t->rank, index));
}
