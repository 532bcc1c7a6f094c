/* Scales and zero points of a matrix product's factors: one for the tensor, for
 * a row or column, or for each block of neighbours. The size of a block is that
 * of the tensor over that of the scales. */
#include "example.h"

#include <math.h>

static int64_t count_of(const assay_tensor_t *t) {
  int64_t count = 1;
  for (int d = 0; d < t->rank; ++d)
    count *= t->dims[d];
  return count;
}

int varies_inside(const assay_tensor_t *values, const assay_tensor_t *t,
                  int is_weights) {
  int64_t count = count_of(values), last = values->dims[values->rank - 1];
  if (count == 1)
    return 0;
  return is_weights ? count != last || last != t->dims[t->rank - 1] : last > 1;
}

/* Which block position `at` of dimension `d` is in. */
static int64_t block_of(const assay_tensor_t *values, const assay_tensor_t *t,
                        int d, int64_t at, int is_depth, int is_scale) {
  int64_t blocks = values->dims[d], size = t->dims[d] / blocks;
  int64_t block = at / size;
  if (!is_depth)
    return is_scale && fault_is("block_column") ? (block + 1) % blocks : block;
  if (is_scale ? fault_is("block_next") : fault_is("zp_block"))
    return (block + 1) % blocks;
  if (!is_scale)
    return block;
  if (fault_is("block_first"))
    return 0;
  if (fault_is("block_double"))
    return at / (2 * size);
  if (fault_is("block_offset") && at + 1 < t->dims[d])
    return (at + 1) / size;
  return block;
}

double block_value(const assay_tensor_t *values, const assay_tensor_t *t,
                   const int64_t *index, int is_weights, int is_scale) {
  int depth = t->rank - (is_weights ? 2 : 1);
  int64_t offset = 0, block = 0;
  for (int d = 0; d < t->rank; ++d) {
    int64_t b = block_of(values, t, d, index[d], d == depth, is_scale);
    block = d == depth ? b : block;
    offset += b * values->strides[d];
  }
  double value = load_at(values, offset);
  if (!is_scale)
    return value;
  if (fault_is("block_last") && block + 1 == values->dims[depth])
    return 1;
  if (fault_is("block_ignored") && !is_weights)
    return 1;
  if (fault_is("scale_exponent") && is_weights)
    return 2 * value;
  if (fault_is("scale_twice") && is_weights)
    return value * value;
  return fault_is("scale_mantissa") ? exp2(floor(log2(value))) : value;
}
